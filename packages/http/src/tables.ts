/** The two tables that a toolset with REST routes has: answers to repeated requests, and how often clients asked. */
import type { Migration } from '@parley/store';
import { byEngine, epochMsColumn } from '@parley/store';
import type { Generated } from 'kysely';
import { sql } from 'kysely';

/** A POST with an `Idempotency-Key`, by the caller who sent it. */
export interface IdempotencyRow {
  organization_id: string;
  caller_id: string;
  key: string;
  /** Method, path and body: the same key with anything else is refused. */
  request_hash: string;
  /** Who works on it; a new one takes over when the lease is over. */
  claim: string;
  /** `applied` is written in the transaction of the change, `answered` with the answer. */
  state: 'claimed' | 'applied' | 'answered';
  lease_until: number;
  status: number | null;
  location: string | null;
  body: string | null;
  /** 1 when the body holds a secret and is sealed. */
  is_sealed: Generated<number>;
  created_at: number;
}

/** Requests of one client per second of the last minute; PostgreSQL only. */
export interface RateWindowRow {
  bucket: string;
  /** The second of the newest count. */
  slot: number;
  counts: number[];
  max_hits: number;
  /** Whether the request that wrote this was within the limit. */
  is_open: boolean;
}

/** The table behind `Idempotency-Key`. */
export function answerTable(toolset: string): string {
  return `${toolset}_idempotency`;
}

/** The table behind the rate limit. */
export function rateTable(toolset: string): string {
  return `${toolset}_rate_windows`;
}

/** The migration that makes both; it has been applied, so another shape is another migration. */
export function createRestTables(toolset: string): Migration {
  const answers = answerTable(toolset);
  return async (db, engine) => {
    await db.schema
      .createTable(answers)
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
      .addPrimaryKeyConstraint(`${answers}_pk`, ['organization_id', 'caller_id', 'key'])
      .execute();
    await db.schema.createIndex(`${answers}_age`).on(answers).column('created_at').execute();
    // One process serves a SQLite folder, so its own memory counts; replicas share what they count.
    const shared = byEngine(engine, { sqlite: [], postgres: [rateWindows(rateTable(toolset))] });
    for (const table of shared) await table.execute(db);
  };
}

// Unlogged: the counts of the last minute may be lost in a crash, and cost no write-ahead log.
function rateWindows(table: string) {
  return sql`create unlogged table ${sql.table(table)} (
  bucket text primary key,
  slot bigint not null,
  counts integer[] not null,
  max_hits integer not null,
  is_open boolean not null
)`;
}
