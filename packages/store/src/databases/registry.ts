/** Which database belongs to which connection, and until when: rows in the main database. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { AnyTables } from '../engine.ts';
import { epochMsColumn } from '../columns.ts';

/** A database of a connection. */
export interface DatabaseRow {
  /** The name of its file or schema. */
  readonly name: string;
  /** The organization and its connection. */
  readonly connection_id: string;
  /** The login role of PostgreSQL and its sealed password. */
  readonly role: string | null;
  readonly secret: string | null;
  readonly created_at: number;
  readonly forgotten_at: number | null;
}

export interface RegistryTables {
  parley_databases: DatabaseRow;
}

const KEPT_MS = 7 * 24 * 60 * 60_000;
const LONGEST_NAME = 59;
const BATCH = 500;

/** The migration that makes the table. */
export async function createDatabaseRows(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('parley_databases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('connection_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text')
    .addColumn('secret', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('forgotten_at', epochMsColumn)
    .execute();
  await db.schema
    .createIndex('parley_databases_in_use')
    .unique()
    .on('parley_databases')
    .column('connection_id')
    .where(sql`forgotten_at`, 'is', null)
    .execute();
}

/** The database that a connection has now. */
export async function findRow(db: Kysely<AnyTables>, connectionId: string): Promise<DatabaseRow | undefined> {
  return tables(db)
    .selectFrom('parley_databases')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('forgotten_at', 'is', null)
    .executeTakeFirst();
}

/** A name that no other database has or had: two ids can look alike, and an id can come back after its connection went. */
export async function freeName(trx: Transaction<AnyTables>, wanted: string): Promise<string> {
  const short = wanted.slice(0, LONGEST_NAME);
  const taken = await tables(trx)
    .selectFrom('parley_databases')
    .select('name')
    .where('name', '=', short)
    .executeTakeFirst();
  if (taken === undefined && short === wanted) return wanted;
  // No id of a connection has this sign.
  return `${short.slice(0, LONGEST_NAME - 13)}$${randomBytes(6).toString('hex')}`;
}

export async function addRow(trx: Transaction<AnyTables>, row: DatabaseRow): Promise<void> {
  await tables(trx).insertInto('parley_databases').values(row).execute();
}

/** From now on these connections have none. */
export async function forgetRows(
  db: Kysely<AnyTables>,
  connectionIds: readonly string[],
  now: number,
): Promise<void> {
  for (let start = 0; start < connectionIds.length; start += BATCH) {
    await tables(db)
      .updateTable('parley_databases')
      .set({ forgotten_at: now })
      .where('connection_id', 'in', connectionIds.slice(start, start + BATCH))
      .where('forgotten_at', 'is', null)
      .execute();
  }
}

/** Databases that were forgotten long enough ago. */
export async function dueRows(db: Kysely<AnyTables>, now: number): Promise<DatabaseRow[]> {
  return tables(db)
    .selectFrom('parley_databases')
    .selectAll()
    .where('forgotten_at', '<=', now - KEPT_MS)
    .execute();
}

export async function removeRow(db: Kysely<AnyTables>, name: string): Promise<void> {
  await tables(db).deleteFrom('parley_databases').where('name', '=', name).execute();
}

function tables(db: Kysely<AnyTables>): Kysely<RegistryTables> {
  return db;
}
