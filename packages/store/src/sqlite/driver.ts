/** The Kysely driver for SQLite: reads run beside the writer, writes one after another. */
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
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
    try {
      if (this.#ownsTransaction) return this.#parts.writer.run(query);
      if (this.#isRead(query)) return this.#parts.reader().run(query);
      return await this.#writeAlone(query);
    } catch (error) {
      throw toStoreError(error, this.#parts.path);
    }
  }

  // Whole answers only: an open cursor would pin the reader to an old state for everybody else.
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async begin(): Promise<void> {
    this.#parts.requireFiles();
    await this.#parts.lock.acquire();
    try {
      // Immediate, because a transaction that reads first and writes later can fail without a wait.
      await whileBusy(() => this.#parts.writer.prepare('BEGIN IMMEDIATE').run());
      this.#ownsTransaction = true;
    } catch (error) {
      this.#parts.lock.release();
      throw toStoreError(error, this.#parts.path);
    }
  }

  commit(): void {
    try {
      this.#parts.writer.prepare('COMMIT').run();
    } catch (error) {
      throw toStoreError(error, this.#parts.path);
    }
    this.#end();
  }

  rollback(): void {
    if (!this.#ownsTransaction) return;
    try {
      // A full disk makes SQLite roll back by itself.
      if (this.#parts.writer.database.inTransaction) this.#parts.writer.prepare('ROLLBACK').run();
    } catch (error) {
      throw toStoreError(error, this.#parts.path);
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
    const { lock, writer } = this.#parts;
    this.#parts.requireFiles();
    if (!lock.tryAcquire()) await lock.acquire();
    try {
      return await whileBusy(() => writer.run<R>(query));
    } finally {
      lock.release();
    }
  }
}
