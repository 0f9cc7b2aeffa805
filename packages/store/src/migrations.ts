/** Forward-only migrations: what is known, what was applied, and applying the rest exactly once. */
import type { Kysely } from 'kysely';
import type { AnyTables, Engine } from './engine.ts';
import { MigrationError } from './errors.ts';
import { storeMigrations } from './store-migrations.ts';
import type { Store, StoreEngine, StoreTransaction } from './store.ts';

/** One step forward of the schema. */
export type Migration = (db: Kysely<AnyTables>, engine: StoreEngine) => Promise<void>;

/** What one toolset or package keeps in the database. */
export interface MigrationSet {
  readonly name: string;
  /** Applied in the order of the keys. */
  readonly migrations: { [name: string]: Migration };
  /** What a new organization has of it from the start, written in the transaction that makes the organization. */
  seed?(tx: StoreTransaction, organizationId: string): Promise<void>;
  /** Lets go of what an organization has outside its rows, before they are deleted. */
  clear?(tx: StoreTransaction, organizationId: string, store: Pick<Store, 'databases'>): Promise<void>;
}

interface AppliedMigration {
  readonly set_name: string;
  readonly name: string;
}

interface PendingMigration {
  readonly set: string;
  readonly name: string;
  readonly run: Migration;
}

/** The names `set/migration` of what is pending; applies nothing. */
export async function pending(engine: Engine, sets: MigrationSet[]): Promise<string[]> {
  return (await findPending(engine, [storeMigrations, ...sets])).map(({ set, name }) => `${set}/${name}`);
}

/** Applies what is pending and returns the names `set/migration` of what it applied. */
export async function migrate(engine: Engine, sets: MigrationSet[], clock: () => number): Promise<string[]> {
  const all = [storeMigrations, ...sets];
  if ((await findPending(engine, all)).length === 0) return [];
  return engine.migrationTransaction(async (trx) => {
    await createMigrationTable(trx);
    const done: string[] = [];
    for (const { set, name, run } of pendingOf(all, await readApplied(trx))) {
      await run(trx, engine.name);
      await trx
        .insertInto('parley_migrations')
        .values({ set_name: set, name, applied_at: clock() })
        .execute();
      done.push(`${set}/${name}`);
    }
    return done;
  });
}

async function findPending(engine: Engine, all: MigrationSet[]): Promise<PendingMigration[]> {
  refuseDuplicates(all);
  const applied = await readApplied(engine.db).catch((error: unknown) => {
    if (engine.isMissingTable(error)) return [];
    throw error;
  });
  return pendingOf(all, applied);
}

function refuseDuplicates(sets: MigrationSet[]): void {
  const names = new Set<string>();
  for (const { name } of sets) {
    if (names.has(name)) {
      throw new MigrationError(`Two migration sets are named "${name}". Give each set a name of its own.`);
    }
    names.add(name);
  }
}

async function createMigrationTable(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('parley_migrations')
    .ifNotExists()
    .addColumn('set_name', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('parley_migrations_pk', ['set_name', 'name'])
    .execute();
}

function readApplied(db: Kysely<AnyTables>): Promise<AppliedMigration[]> {
  return db.selectFrom('parley_migrations').select(['set_name', 'name']).execute();
}

// A set that this program does not load is left alone: its tables belong to that set only.
function pendingOf(sets: MigrationSet[], applied: AppliedMigration[]): PendingMigration[] {
  const done = new Set(applied.map(({ set_name, name }) => `${set_name}/${name}`));
  const pending: PendingMigration[] = [];
  for (const { name: set, migrations } of sets) {
    const unknown = applied.find((row) => row.set_name === set && !Object.hasOwn(migrations, row.name));
    if (unknown) {
      throw new MigrationError(
        `The database was written by a newer version: it has the migration "${set}/${unknown.name}", which this version does not know. Start the newer version, or restore a backup made before the upgrade.`,
      );
    }
    for (const [name, run] of Object.entries(migrations)) {
      if (!done.has(`${set}/${name}`)) pending.push({ set, name, run });
    }
  }
  return pending;
}
