/** The tables that the store itself needs in the main database. */
import type { Kysely } from 'kysely';
import { addSerialId, epochMsColumn } from './columns.ts';
import { createDatabaseRows } from './databases/registry.ts';
import { splitCallRecords } from './postgres/record-migration.ts';
import type { AnyTables } from './engine.ts';
import type { MigrationSet } from './migrations.ts';

async function createSignals(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('parley_signals')
    .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('payload', 'text')
    .addColumn('at', epochMsColumn, (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .execute();
}

async function createCallRecords(db: Kysely<AnyTables>): Promise<void> {
  await addSerialId(db.schema.createTable('parley_call_records'), 'postgres')
    .addColumn('at', epochMsColumn, (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('caller_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('toolset', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('code', 'text')
    .addColumn('duration_us', 'bigint', (column) => column.notNull())
    .addColumn('era', 'text', (column) => column.notNull())
    .addColumn('client', 'text')
    .addColumn('request_id', 'text')
    .execute();
  await db.schema
    .createIndex('parley_call_records_by_organization')
    .on('parley_call_records')
    .columns(['organization_id', 'id'])
    .execute();
}

async function createProbe(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('parley_probe')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.insertInto('parley_probe').values({ id: 1, at: 0 }).execute();
}

/** Applied before every other set: SQLite needs a signal table, PostgreSQL a table of call records. */
export const storeMigrations: MigrationSet = {
  name: 'store',
  migrations: {
    '001-first': (db, engine) => (engine === 'sqlite' ? createSignals(db) : createCallRecords(db)),
    '002-probe': createProbe,
    '003-databases': createDatabaseRows,
    // The records of SQLite have a file of their own, which is brought up to date when it is opened.
    '004-call-kinds': async (db, engine) => (engine === 'sqlite' ? undefined : splitCallRecords(db)),
  },
};
