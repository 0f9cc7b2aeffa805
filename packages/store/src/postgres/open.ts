/** Opens the PostgreSQL engine: pool, listening connection, records. */
import { Kysely, sql } from 'kysely';
import type { Transaction } from 'kysely';
import { postgresDatabases } from '../databases/postgres-databases.ts';
import { SteadyClock } from '../clock/steady-clock.ts';
import type { AnyTables, Engine, EngineOptions } from '../engine.ts';
import { BackupError } from '../errors.ts';
import { postgresDialect } from './driver.ts';
import { isMissingTable, toStoreError } from './errors.ts';
import { postgresLocks } from './locks.ts';
import { createEndingPool, createPool, createRecordPool, createSlowPool, listenerConfig } from './pool.ts';
import type { PostgresPlace } from './pool.ts';
import { PostgresRecordTable } from './record-table.ts';
import { PostgresSignalLink } from './signal-link.ts';
import { StatementNames } from './statement-names.ts';

const MIGRATION_LOCK = 4_680_001;

/** The engine over a PostgreSQL database. */
export async function openPostgres(options: EngineOptions, databaseUrl: string): Promise<Engine> {
  const { default: pg } = await import('pg');
  const { onError, isPooled, directUrl = databaseUrl } = options;
  const place = { Driver: pg, databaseUrl, isPooled, onError };
  const signalLink = new PostgresSignalLink({
    ...options,
    createClient: () =>
      new pg.Client(
        listenerConfig({ ...place, databaseUrl: directUrl, isPooled: directUrl === databaseUrl && isPooled }),
      ),
  });
  await signalLink.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  const names = new StatementNames({ isOff: isPooled });
  const pool = createPool(place);
  const db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool, names, onError }) });
  const endingPool = createEndingPool(place);
  const endingDb = new Kysely<AnyTables>({ dialect: postgresDialect({ pool: endingPool, names, onError }) });
  const recordPool = createRecordPool(place);
  const recordDb = new Kysely<AnyTables>({ dialect: postgresDialect({ pool: recordPool, names, onError }) });
  const clock = new SteadyClock(() => signalLink.databaseNow());

  return {
    name: 'postgres',
    db,
    endingDb,
    clock,
    // Replicas come and go; whoever is there moves the mark on.
    hasWritten: () => true,
    signalLink,
    recordTable: new PostgresRecordTable({ writing: recordDb, reading: db }),
    locks: postgresLocks,
    presence: signalLink.presence,
    databases: await postgresDatabases(db, pg, { databaseUrl: directUrl, maxBytes: options.databaseBytes }),
    migrationTransaction: (work) => migrateAlone({ ...place, databaseUrl: directUrl }, work),
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
      await Promise.all([db.destroy(), endingDb.destroy(), recordDb.destroy()]);
      await Promise.all([pool.end(), endingPool.end(), recordPool.end()]);
    },
  };
}

async function migrateAlone<T>(
  place: PostgresPlace,
  work: (trx: Transaction<AnyTables>) => Promise<T>,
): Promise<T> {
  const pool = createSlowPool(place);
  const names = new StatementNames({ isOff: true });
  const dialect = postgresDialect({ pool, names, onError: place.onError });
  try {
    return await new Kysely<AnyTables>({ dialect }).transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
      return work(trx);
    });
  } finally {
    await pool.end();
  }
}
