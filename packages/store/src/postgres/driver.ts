/** The Kysely driver for PostgreSQL: a pool whose broken connections are thrown away, with typed errors. */
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Dialect, Driver, TransactionSettings } from 'kysely';
import { StoreUnavailableError } from '../errors.ts';
import type { PostgresParts } from './connection.ts';
import { PostgresStoreConnection } from './connection.ts';
import { toConnectError } from './errors.ts';

/** The dialect over a pool. */
export function postgresDialect(parts: PostgresParts): Dialect {
  return {
    createDriver: () => new PostgresStoreDriver(parts),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

class PostgresStoreDriver implements Driver {
  readonly #parts: PostgresParts;

  constructor(parts: PostgresParts) {
    this.#parts = parts;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresStoreConnection> {
    const { pool, meter } = this.#parts;
    try {
      const isFree = pool.idleCount > pool.waitingCount;
      const client = await (isFree ? pool.connect() : meter.wait(pool.connect()));
      return new PostgresStoreConnection(client, this.#parts);
    } catch (error) {
      // Every connection is there and in use: the database can be reached, and waits for somebody.
      const isFull = pool.totalCount >= pool.options.max && pool.idleCount === 0;
      throw meter.counted(isFull ? new StoreUnavailableError('busy', error) : toConnectError(error));
    }
  }

  async beginTransaction(connection: PostgresStoreConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    connection.begin(`begin${isolation}`);
  }

  commitTransaction(connection: PostgresStoreConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: PostgresStoreConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(connection: PostgresStoreConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}
