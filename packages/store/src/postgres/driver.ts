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
import type { QueryResult as PgResult, Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import type { LaneMeter } from '../figures.ts';
import { faultOfName, toStoreError } from './errors.ts';
import type { NameFault } from './errors.ts';
import type { StatementNames } from './statement-names.ts';

const POOLED =
  'A pooler in front of PostgreSQL hands connections to others between transactions, so statements are no longer prepared. Set PARLEY_PREPARED_STATEMENTS=off and PARLEY_DATABASE_DIRECT_URL to the address of PostgreSQL itself.';
const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** What the connections of a pool share. */
export interface PostgresParts {
  readonly pool: Pool;
  readonly names: StatementNames;
  readonly meter: LaneMeter;
  readonly onError: (error: unknown) => void;
}

/** The dialect over a pool. */
export function postgresDialect(parts: PostgresParts): Dialect {
  return {
    createDriver: () => new PostgresStoreDriver(parts),
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
      throw meter.counted(isFull ? new StoreUnavailableError('busy', error) : toStoreError(error));
    }
  }

  async beginTransaction(connection: PostgresStoreConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    await connection.begin(`begin${isolation}`);
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

class PostgresStoreConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #parts: PostgresParts;
  #isBroken = false;
  #isInTransaction = false;

  constructor(client: PoolClient, parts: PostgresParts) {
    this.#client = client;
    this.#parts = parts;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#statement<R & QueryResultRow>(sql, [...parameters]);
    if (!WRITE_COMMANDS.has(command)) return { rows };
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async begin(sql: string): Promise<void> {
    await this.#query({ text: sql });
    this.#isInTransaction = true;
  }

  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    await this.#query({ text: 'rollback' });
  }

  async commit(): Promise<void> {
    const { command } = await this.#query({ text: 'commit' });
    this.#isInTransaction = false;
    // A transaction that failed inside answers COMMIT with ROLLBACK and no error.
    if (command === 'ROLLBACK') {
      throw new Error('The transaction was rolled back, because a statement in it failed.');
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  /** A statement without parameters may be several, which have no name. */
  async #statement<R extends QueryResultRow>(text: string, values: unknown[]): Promise<PgResult<R>> {
    const name = values.length === 0 ? undefined : this.#parts.names.nameOf(text);
    if (name === undefined) return this.#query<R>({ text, values });
    try {
      return await this.#query<R>({ name, text, values });
    } catch (error) {
      const fault = faultOfName(error);
      if (fault === undefined) throw error;
      this.#forgetNames(fault);
      // It did nothing yet; but inside a transaction all that was done before it is lost.
      if (!this.#isInTransaction) return this.#query<R>({ text, values });
      throw new StoreUnavailableError('busy', error);
    }
  }

  #forgetNames(fault: NameFault): void {
    const { names, onError } = this.#parts;
    if (fault === 'outdated') names.renew();
    else if (names.turnOff()) onError(new Error(POOLED));
  }

  async #query<R extends QueryResultRow>(query: QueryConfig): Promise<PgResult<R>> {
    const { meter } = this.#parts;
    try {
      return await meter.statement(query.text, () => this.#client.query<R>(query));
    } catch (error) {
      const mapped = meter.counted(toStoreError(error));
      if (mapped instanceof StoreUnavailableError && isLasting(mapped)) this.#isBroken = true;
      throw mapped;
    }
  }
}
