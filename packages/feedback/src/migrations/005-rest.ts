/** What REST remembers: answers to repeated requests, and how often clients asked. */
import type { Migration } from '@parley/store';
import { byEngine, epochMsColumn } from '@parley/store';
import { sql } from 'kysely';

/** Creates the tables behind `Idempotency-Key` and the rate limit. */
export const createRest: Migration = async (db, engine) => {
  await db.schema
    .createTable('feedback_idempotency')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('caller_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('claim', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('lease_until', epochMsColumn, (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('location', 'text')
    .addColumn('body', 'text')
    .addColumn('is_sealed', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_idempotency_pk', ['organization_id', 'caller_id', 'key'])
    .execute();
  await db.schema
    .createIndex('feedback_idempotency_age')
    .on('feedback_idempotency')
    .column('created_at')
    .execute();
  // One process serves a SQLite folder, so its own memory counts; replicas share what they count.
  for (const table of byEngine(engine, { sqlite: [], postgres: [RATE_WINDOWS] }))
    await sql.raw(table).execute(db);
};

// Unlogged: the counts of the last minute may be lost in a crash, and cost no write-ahead log.
const RATE_WINDOWS = `create unlogged table feedback_rate_windows (
  bucket text primary key,
  slot bigint not null,
  counts integer[] not null,
  max_hits integer not null,
  is_open boolean not null
)`;
