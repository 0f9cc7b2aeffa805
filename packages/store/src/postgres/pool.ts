/** How Parley connects to PostgreSQL: limits, timeouts and the number types it reads. */
import type pg from 'pg';
import type { ClientConfig, Pool, PoolConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;
const LISTENER_TIMEOUT_MS = 4_000;
/** Shorter than the query's own limit, so that the answer says what was waited for. */
export const LOCK_TIMEOUT_MS = 20_000;
/** A process that is frozen inside a transaction keeps its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** A migration may think between two statements. */
const SLOW_IDLE_IN_TRANSACTION_MS = 60_000;
const POOL_SIZE = 10;
const ENDING_POOL_SIZE = 3;
/** One that writes call records, one that deletes what is old. */
const RECORD_POOL_SIZE = 2;
/** The first question to a peer that says nothing. */
const KEEP_ALIVE_AFTER_MS = 5_000;
/** The server lets go of a peer whose machine is gone, and of all that it held; where it cannot, it goes on without. */
export const PEER_SETTINGS =
  '-c tcp_user_timeout=10000 -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3';

const INT8_OID = 20;
const NUMERIC_OID = 1_700;

/** The driver, which is loaded only when PostgreSQL is used. */
export type PostgresDriverModule = Pick<typeof pg, 'Client' | 'Pool' | 'TypeOverrides'>;

/** Where the server is, and what stands before it. */
export interface PostgresPlace {
  readonly Driver: PostgresDriverModule;
  readonly databaseUrl: string;
  /** True when a pooler hands connections to others between transactions: nothing may be left on one. */
  readonly isPooled: boolean;
  readonly onError: (error: unknown) => void;
}

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
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types,
  };
}

/** The connection that listens. */
export function listenerConfig(place: PostgresPlace): ClientConfig {
  return {
    ...limited(place),
    application_name: 'parley-listen',
    connectionTimeoutMillis: LISTENER_TIMEOUT_MS,
    query_timeout: LISTENER_TIMEOUT_MS,
  };
}

/** The pool that requests share. */
export function createPool(place: PostgresPlace): Pool {
  return poolOf(place, { ...limited(place), max: POOL_SIZE, query_timeout: QUERY_TIMEOUT_MS });
}

/** A few more of the same, so that what ends work never waits behind what begins it. */
export function createEndingPool(place: PostgresPlace): Pool {
  return poolOf(place, { ...limited(place), max: ENDING_POOL_SIZE, query_timeout: QUERY_TIMEOUT_MS });
}

/** Call records wait neither for requests nor for each other; the connections go when nobody calls. */
export function createRecordPool(place: PostgresPlace): Pool {
  return poolOf(place, { ...limited(place), max: RECORD_POOL_SIZE, query_timeout: QUERY_TIMEOUT_MS });
}

/** One connection without the time limits of requests; a migration waits for the locks that it needs. */
export function createSlowPool(place: PostgresPlace): Pool {
  const config = limited(place, SLOW_IDLE_IN_TRANSACTION_MS);
  return poolOf(place, { ...config, lock_timeout: 0, max: 1 });
}

// A pooler refuses a connection that brings settings, or leaves them to the next user of it.
function limited(
  { Driver, databaseUrl, isPooled }: PostgresPlace,
  idleInTransactionMs = IDLE_IN_TRANSACTION_MS,
): ClientConfig {
  const config = clientConfig(Driver, databaseUrl);
  if (isPooled) return config;
  return {
    ...config,
    options: PEER_SETTINGS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
}

function poolOf({ Driver, onError }: PostgresPlace, config: PoolConfig): Pool {
  // Statements whose answers nobody needs in between go out together.
  const pool = new Driver.Pool({ ...config, pipeline: true });
  // The pool hears only of idle connections; one lost in use would end the process, and its next query fails anyway.
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  return pool.on('error', onError);
}
