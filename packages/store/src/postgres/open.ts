/** Opens the PostgreSQL engine: pool, listening connection, records. */
import { Kysely, sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Pool } from 'pg';
import { postgresDatabases } from '../databases/postgres-databases.ts';
import type { AnyTables, Engine, EngineOptions } from '../engine.ts';
import { BackupError } from '../errors.ts';
import { postgresDialect } from './driver.ts';
import { isMissingTable, toStoreError } from './errors.ts';
import { postgresLocks } from './locks.ts';
import { clientConfig, createPool, createSlowPool } from './pool.ts';
import { PostgresRecordTable } from './record-table.ts';
import { PostgresSignalLink } from './signal-link.ts';

const MIGRATION_LOCK = 4_680_001;

/** The engine over a PostgreSQL database. */
export async function openPostgres(options: EngineOptions, databaseUrl: string): Promise<Engine> {
  const { default: pg } = await import('pg');
  const signalLink = new PostgresSignalLink({
    ...options,
    createClient: () => new pg.Client({ ...clientConfig(pg, databaseUrl), query_timeout: 5_000 }),
  });
  await signalLink.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  const pool = createPool(pg, databaseUrl, options.onError);
  const db = new Kysely<AnyTables>({ dialect: postgresDialect(pool) });

  return {
    name: 'postgres',
    db,
    signalLink,
    recordTable: new PostgresRecordTable(db),
    locks: postgresLocks,
    databases: await postgresDatabases(db, pg, { databaseUrl, maxBytes: options.databaseBytes }),
    migrationTransaction: (work) => migrateAlone(createSlowPool(pg, databaseUrl, options.onError), work),
    async asSnapshot(trx) {
      await sql`set transaction isolation level repeatable read, read only`.execute(trx);
    },
    // Writers do not wait for each other here.
    async letWritersThrough() {},
    isMissingTable,
    async backup() {
      throw new BackupError('This store is on PostgreSQL. Use pg_dump to back it up.');
    },
    // A server that is another one now has refused the connections to the old one.
    async requireThere() {},
    async close() {
      await signalLink.close();
      await db.destroy();
      await pool.end();
    },
  };
}

async function migrateAlone<T>(pool: Pool, work: (trx: Transaction<AnyTables>) => Promise<T>): Promise<T> {
  try {
    return await new Kysely<AnyTables>({ dialect: postgresDialect(pool) })
      .transaction()
      .execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
        return work(trx);
      });
  } finally {
    await pool.end();
  }
}
