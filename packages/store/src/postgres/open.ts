/** Opens the PostgreSQL engine: pool, listening connection, records. */
import { Kysely, sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Pool } from 'pg';
import { postgresDatabases } from '../databases/postgres-databases.ts';
import { SteadyClock } from '../clock/steady-clock.ts';
import type { AnyTables, Engine, EngineOptions } from '../engine.ts';
import { BackupError } from '../errors.ts';
import { LaneMeter } from '../figures.ts';
import type { LaneFigures } from '../figures.ts';
import { FLUSH, LastQueries } from './connection.ts';
import { postgresDialect } from './driver.ts';
import { isMissingTable, toConnectError } from './errors.ts';
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
  const direct = { ...place, databaseUrl: directUrl, isPooled: directUrl === databaseUrl && isPooled };
  const signalLink = new PostgresSignalLink({
    ...options,
    isDirect: !direct.isPooled,
    createClient: () => new pg.Client(listenerConfig(direct)),
  });
  await signalLink.connect().catch((error: unknown) => {
    throw toConnectError(error);
  });
  const names = new StatementNames({ isOff: isPooled });
  const laneOver = (pool: Pool): PostgresLane => {
    const meter = new LaneMeter(options.spending);
    const db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool, names, meter, onError }) });
    return { pool, meter, db };
  };
  const lanes = {
    general: laneOver(createPool(place)),
    ending: laneOver(createEndingPool(place)),
    records: laneOver(createRecordPool(place)),
  };
  const { db } = lanes.general;
  const all = Object.values(lanes);
  const clock = new SteadyClock(() => signalLink.databaseNow());

  return {
    name: 'postgres',
    system: 'postgresql',
    db,
    endingDb: lanes.ending.db,
    tidyingDb: lanes.records.db,
    clock,
    // Replicas come and go; whoever is there moves the mark on.
    hasWritten: () => true,
    signalLink,
    recordTable: new PostgresRecordTable({ writing: lanes.records.db, reading: db }),
    locks: postgresLocks,
    presence: signalLink.presence,
    databases: await postgresDatabases(db, pg, { databaseUrl: directUrl, maxBytes: options.databaseBytes }),
    async runLast(trx, last) {
      await trx.executeQuery(new LastQueries(last));
    },
    async flush() {
      await sql.raw(FLUSH).execute(db);
    },
    migrationTransaction: (work) =>
      migrateAlone({ ...place, databaseUrl: directUrl }, new LaneMeter(options.spending), work),
    async asSnapshot(trx) {
      await sql`set transaction isolation level repeatable read, read only`.execute(trx);
    },
    // Writers do not wait for each other here.
    async letWritersThrough() {},
    isMissingTable,
    meters: all.map(({ meter }) => meter),
    lanes: () => Object.entries(lanes).map(([name, lane]) => figuresOf(name, lane)),
    async backup() {
      throw new BackupError('This store is on PostgreSQL. Use pg_dump to back it up.');
    },
    // A server that is another one now has refused the connections to the old one.
    async requireThere() {},
    async close() {
      await signalLink.close();
      await Promise.all(all.map((lane) => lane.db.destroy()));
      await Promise.all(all.map(({ pool }) => pool.end()));
    },
  };
}

interface PostgresLane {
  readonly pool: Pool;
  readonly meter: LaneMeter;
  readonly db: Kysely<AnyTables>;
}

function figuresOf(lane: string, { pool, meter }: PostgresLane): LaneFigures {
  const { options, totalCount, idleCount: idle, waitingCount: waiting } = pool;
  const { waits, statements } = meter;
  return { lane, size: options.max, busy: totalCount - idle, idle, waiting, waits, statements };
}

async function migrateAlone<T>(
  place: PostgresPlace,
  meter: LaneMeter,
  work: (trx: Transaction<AnyTables>) => Promise<T>,
): Promise<T> {
  const pool = createSlowPool(place);
  const names = new StatementNames({ isOff: true });
  const dialect = postgresDialect({ pool, names, meter, onError: place.onError });
  try {
    return await new Kysely<AnyTables>({ dialect }).transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
      return work(trx);
    });
  } finally {
    await pool.end();
  }
}
