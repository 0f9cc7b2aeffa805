/** How Parley connects to PostgreSQL: limits, timeouts and the number types it reads. */
import type pg from 'pg';
import type { ClientConfig, Pool, PoolConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;
/** Shorter than the query's own limit, so that the answer says what was waited for. */
const LOCK_TIMEOUT_MS = 20_000;
/** A process that is frozen inside a transaction keeps its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const POOL_SIZE = 10;

const INT8_OID = 20;
const NUMERIC_OID = 1_700;

/** The driver, which is loaded only when PostgreSQL is used. */
export type PostgresDriverModule = Pick<typeof pg, 'Client' | 'Pool' | 'TypeOverrides'>;

/** The settings of a single connection. */
export function clientConfig(Driver: PostgresDriverModule, databaseUrl: string): ClientConfig {
  const types = new Driver.TypeOverrides();
  // Epoch milliseconds and counts stay far below 2^53, so plain numbers do on both engines.
  types.setTypeParser(INT8_OID, Number);
  types.setTypeParser(NUMERIC_OID, Number);
  return {
    connectionString: databaseUrl,
    application_name: 'parley',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types,
  };
}

/** The pool that requests share. */
export function createPool(
  Driver: PostgresDriverModule,
  databaseUrl: string,
  onError: (error: unknown) => void,
): Pool {
  return poolOf(
    Driver,
    {
      ...clientConfig(Driver, databaseUrl),
      max: POOL_SIZE,
      query_timeout: QUERY_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    onError,
  );
}

/** One connection without the time limit of requests. */
export function createSlowPool(
  Driver: PostgresDriverModule,
  databaseUrl: string,
  onError: (error: unknown) => void,
): Pool {
  return poolOf(Driver, { ...clientConfig(Driver, databaseUrl), max: 1 }, onError);
}

function poolOf(Driver: PostgresDriverModule, config: PoolConfig, onError: (error: unknown) => void): Pool {
  const pool = new Driver.Pool(config);
  // The pool hears only of idle connections; one lost in use would end the process, and its next query fails anyway.
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  return pool.on('error', onError);
}
