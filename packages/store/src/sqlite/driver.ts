/** The Kysely driver for SQLite: reads run beside the writer, writes one after another. */
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { LaneMeter } from '../figures.ts';
import type { StatementCache } from './connections.ts';
import { toStoreError } from './errors.ts';
import { whileBusy } from './write-lock.ts';
import type { WriteLock } from './write-lock.ts';

/** What the connections of one process share. */
export interface SqliteParts {
  readonly writer: StatementCache;
  /** Opened on first use. */
  readonly reader: () => StatementCache;
  readonly lock: WriteLock;
  readonly meter: LaneMeter;
  /** Throws while what is written would be lost. */
  readonly requireFiles: () => void;
  /** The main file. */
  readonly path: string;
}

/** The dialect over open connections. */
export function sqliteDialect(parts: SqliteParts): Dialect {
  return {
    createDriver: () => new SqliteStoreDriver(parts),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

// The write lock orders the writers, so the builder needs no lock of its own around every read.
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteStoreDriver implements Driver {
  readonly #parts: SqliteParts;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteStoreConnection> {
    return new SqliteStoreConnection(this.#parts);
  }

  beginTransaction(connection: SqliteStoreConnection): Promise<void> {
    return connection.begin();
  }

  async commitTransaction(connection: SqliteStoreConnection): Promise<void> {
    connection.commit();
  }

  async rollbackTransaction(connection: SqliteStoreConnection): Promise<void> {
    connection.rollback();
  }

  async releaseConnection(connection: SqliteStoreConnection): Promise<void> {
    connection.rollback();
  }

  async destroy(): Promise<void> {}
}

class SqliteStoreConnection implements DatabaseConnection {
  readonly #parts: SqliteParts;
  #ownsTransaction = false;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader, meter } = this.#parts;
    try {
      if (this.#ownsTransaction) return meter.blocking(query.sql, () => writer.run(query));
      if (this.#isRead(query)) return meter.blocking(query.sql, () => reader().run(query));
      return await this.#writeAlone(query);
    } catch (error) {
      throw this.#fault(error);
    }
  }

  // Whole answers only: an open cursor would pin the reader to an old state for everybody else.
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async begin(): Promise<void> {
    const { lock, writer, meter } = this.#parts;
    this.#parts.requireFiles();
    await this.#takeLock();
    try {
      // Immediate, because a transaction that reads first and writes later can fail without a wait.
      await meter.statement('begin', () => whileBusy(() => writer.prepare('BEGIN IMMEDIATE').run()));
      this.#ownsTransaction = true;
    } catch (error) {
      lock.release();
      throw this.#fault(error);
    }
  }

  commit(): void {
    const { writer, meter } = this.#parts;
    try {
      meter.blocking('commit', () => writer.prepare('COMMIT').run());
    } catch (error) {
      throw this.#fault(error);
    }
    this.#end();
  }

  rollback(): void {
    if (!this.#ownsTransaction) return;
    try {
      // A full disk makes SQLite roll back by itself.
      if (this.#parts.writer.database.inTransaction) this.#parts.writer.prepare('ROLLBACK').run();
    } catch (error) {
      throw this.#fault(error);
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#ownsTransaction = false;
    this.#parts.lock.release();
  }

  #isRead({ query, sql }: CompiledQuery): boolean {
    if (query.kind === 'SelectQueryNode') return true;
    if (query.kind !== 'RawNode' || /^\s*pragma\b/i.test(sql)) return false;
    const statement = this.#parts.reader().prepare(sql);
    return statement.reader && statement.readonly;
  }

  async #writeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { lock, writer, meter } = this.#parts;
    this.#parts.requireFiles();
    await this.#takeLock();
    try {
      return await meter.statement(query.sql, () => whileBusy(() => writer.run<R>(query)));
    } finally {
      lock.release();
    }
  }

  async #takeLock(): Promise<void> {
    const { lock, meter } = this.#parts;
    if (!lock.tryAcquire()) await meter.wait(lock.acquire());
  }

  #fault(error: unknown): unknown {
    const { meter, path } = this.#parts;
    return meter.counted(toStoreError(error, path));
  }
}
