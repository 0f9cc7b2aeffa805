/** Stores for tests: one suite on both engines, and a throwaway store for everybody else's tests. */
import { createHash, randomBytes } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Pool } from 'pg';
import { afterEach, describe, inject } from 'vitest';
import type { MigrationSet } from '../migrations.ts';
import { openStore } from '../open-store.ts';
import { MAIN_FILE } from '../sqlite/open.ts';
import type { Store, StoreEngine, StoreOptions } from '../store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a running PostgreSQL server whose user may create databases. */
    readonly postgresUrl: string;
  }
}

/** Opens one more store on the database of the running test; every test has a fresh database. */
export type OpenStore = (options?: Partial<StoreOptions>) => Promise<Store>;

/** A place for one database: what `openStore` needs to find it again, and how to remove it. */
export interface ScratchDatabase {
  readonly options: StoreOptions;
  readonly remove: () => Promise<void>;
}

/**
 * A fresh database of the engine; SQLite in a temporary folder, PostgreSQL on the server of the test run. With migrations
 * it has them already: it is copied from one that was migrated once for the whole run.
 */
export async function scratchDatabase(
  engine: StoreEngine,
  migrations: MigrationSet[] = [],
): Promise<ScratchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const removeDir = (): void => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') {
    if (migrations.length > 0)
      copyFileSync(await migratedFile(migrations), join(dataDir, MAIN_FILE), constants.COPYFILE_FICLONE);
    return { options: { dataDir }, remove: async () => removeDir() };
  }
  const name = `parley_${randomBytes(6).toString('hex')}`;
  const template = migrations.length === 0 ? 'template1' : await migratedTemplate(migrations);
  // A copy of files is less work than a log of every page, which nobody needs after a crash of the tests.
  await onServer([`create database ${name} template ${template} strategy file_copy`]);
  return {
    options: { dataDir, databaseUrl: addressOf(name) },
    async remove() {
      removeDir();
      await onServer([`drop database if exists ${name} with (force)`]);
    },
  };
}

/** A suite that runs on each engine; `where` tells a second process how to find the database of the running test. */
export type EngineSuite = (open: OpenStore, engine: StoreEngine, where: () => Promise<StoreOptions>) => void;

/**
 * Runs a suite once per engine. `open` gives a store on the fresh database of the running test; a second call gives
 * a second store on the same one, as a second process would have. All are closed after the test. Migrations that the
 * suite applies anyway may be given, which spares their time.
 */
export function onBothEngines(name: string, suite: EngineSuite, migrations: MigrationSet[] = []): void {
  describe.each<StoreEngine>(['sqlite', 'postgres'])(`${name} on %s`, (engine) => {
    let database: Promise<ScratchDatabase> | undefined;
    const stores: Store[] = [];

    afterEach(async () => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      const used = await database;
      database = undefined;
      await used?.remove();
    });

    const where = async (): Promise<StoreOptions> => {
      database ??= scratchDatabase(engine, migrations);
      return (await database).options;
    };
    const open: OpenStore = async (options) => {
      const store = await openStore({ ...(await where()), ...options });
      stores.push(store);
      return store;
    };
    suite(open, engine, where);
  });
}

/** A throwaway SQLite store; `await using store = await scratchStore()` removes it at the end of the block. */
export async function scratchStore(
  options: Partial<StoreOptions> = {},
  migrations: MigrationSet[] = [],
): Promise<Store & AsyncDisposable> {
  const database = await scratchDatabase('sqlite', migrations);
  const store = await openStore({ ...database.options, ...options });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database.remove();
    },
  };
}

function addressOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}

/** A name for databases that have these migrations. */
function templateName(sets: MigrationSet[]): string {
  const contents = sets.map(({ name, migrations }) => [name, Object.keys(migrations)]);
  return `parley_template_${createHash('sha256').update(JSON.stringify(contents)).digest('hex').slice(0, 16)}`;
}

/** The SQLite file that has these migrations; made by the first test of a process that needs it. */
async function migratedFile(sets: MigrationSet[]): Promise<string> {
  const path = join(tmpdir(), `${templateName(sets)}-${process.pid}.db`);
  // A run has a folder of its own, so what lies there was made by this process.
  if (existsSync(path)) return path;
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const store = await openStore({ dataDir });
  await store.migrate(sets);
  await store.close();
  renameSync(join(dataDir, MAIN_FILE), path);
  rmSync(dataDir, { recursive: true, force: true });
  return path;
}

/** The database that has these migrations; made by the first test that needs it, in any process. */
async function migratedTemplate(sets: MigrationSet[]): Promise<string> {
  const template = templateName(sets);
  await onOwnLine(async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const known = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (known.rowCount !== 0) return;
    await client.query(`create database ${template}_raw`);
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
    const store = await openStore({ dataDir, databaseUrl: addressOf(`${template}_raw`) });
    await store.migrate(sets);
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
    // A run that was cut off before this leaves no half of a template behind.
    await client.query(`alter database ${template}_raw rename to ${template}`);
  });
  return template;
}

/** The lines of this process for what makes and drops databases: one for each is a third of the whole. */
let lines: Promise<Pool> | undefined;

async function onServer(statements: readonly string[]): Promise<void> {
  lines ??= openLines();
  const pool = await lines;
  for (const statement of statements) await pool.query(statement);
}

async function openLines(): Promise<Pool> {
  const { default: pg } = await import('pg');
  // Nobody ends it but the process, which must not stay for it.
  const pool = new pg.Pool({
    connectionString: inject('postgresUrl'),
    max: 2,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  // One that was lost while nobody used it is made again.
  return pool.on('error', () => undefined);
}

/** Works on a line of its own, whose locks are those of nobody else. */
async function onOwnLine(work: (client: Client) => Promise<void>): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Cuts every connection to a PostgreSQL database and lets nobody in until the returned function is called. */
export async function outage({ options }: ScratchDatabase): Promise<() => Promise<void>> {
  const name = new URL(options.databaseUrl ?? '').pathname.slice(1);
  await onServer([
    `alter database ${name} with allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  ]);
  return () => onServer([`alter database ${name} with allow_connections true`]);
}
