/** The Kysely driver for PostgreSQL: a pool whose broken connections are thrown away, with typed errors. */
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import { toStoreError } from './errors.ts';

const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** The dialect over a pool. */
export function postgresDialect(pool: Pool): Dialect {
  return {
    createDriver: () => new PostgresStoreDriver(pool),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

// A connection that takes no writes goes on so after its server takes them again; a new one starts afresh.
function isLasting({ reason, cause }: StoreUnavailableError): boolean {
  const isEnded = cause instanceof Error && 'severity' in cause && cause.severity === 'FATAL';
  return reason === 'lost' || reason === 'readonly' || isEnded;
}

class PostgresStoreDriver implements Driver {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresStoreConnection> {
    try {
      return new PostgresStoreConnection(await this.#pool.connect());
    } catch (error) {
      // Every connection is there and in use: the database can be reached, and waits for somebody.
      const isFull = this.#pool.totalCount >= this.#pool.options.max && this.#pool.idleCount === 0;
      throw isFull ? new StoreUnavailableError('busy', error) : toStoreError(error);
    }
  }

  async beginTransaction(connection: PostgresStoreConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    await connection.command(`begin${isolation}`);
  }

  commitTransaction(connection: PostgresStoreConnection): Promise<void> {
    return connection.commit();
  }

  async rollbackTransaction(connection: PostgresStoreConnection): Promise<void> {
    await connection.command('rollback');
  }

  async releaseConnection(connection: PostgresStoreConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}

class PostgresStoreConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  #isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#query(sql, [...parameters]);
    if (!WRITE_COMMANDS.has(command)) return { rows };
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async command(sql: string): Promise<string> {
    return (await this.#query(sql, [])).command;
  }

  async commit(): Promise<void> {
    // A transaction that failed inside answers COMMIT with ROLLBACK and no error.
    if ((await this.command('commit')) === 'ROLLBACK') {
      throw new Error('The transaction was rolled back, because a statement in it failed.');
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  async #query(sql: string, parameters: unknown[]) {
    try {
      return await this.#client.query(sql, parameters);
    } catch (error) {
      const mapped = toStoreError(error);
      if (mapped instanceof StoreUnavailableError && isLasting(mapped)) this.#isBroken = true;
      throw mapped;
    }
  }
}
