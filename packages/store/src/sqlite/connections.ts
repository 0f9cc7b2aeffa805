/** The SQLite connections of one process: one that writes, one that reads beside it, and their prepared statements. */
import { accessSync, closeSync, constants, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { HeldFile } from './held-file.ts';
import { takeIntoUse } from './restored-copy.ts';

/** The constructor of the driver, which is loaded only when SQLite is used. */
export type SqliteDriverModule = typeof Database;

// oxlint-disable-next-line typescript/no-explicit-any -- the writer of a statement knows its rows, the cache cannot
type CachedStatement = Database.Statement<unknown[], any>;

const CACHED_STATEMENTS = 256;
const OPEN_TIMEOUT_MS = 5_000;

/** A connection with its prepared statements. */
export class StatementCache {
  readonly database: Database.Database;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(database: Database.Database) {
    this.database = database;
  }

  /** The statement of this text; the caller names the rows that it returns. */
  prepare<R>(sql: string): Database.Statement<unknown[], R> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare<unknown[], R>(sql);
    const oldest =
      this.#statements.size >= CACHED_STATEMENTS ? this.#statements.keys().next().value : undefined;
    if (oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, statement);
    return statement;
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.prepare<R>(sql);
    if (statement.reader) return { rows: statement.all(parameters) };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  /** Forgets the statements, since a new schema changes the columns that they answer. */
  clear(): void {
    this.#statements.clear();
  }
}

/** The connection that writes, and the file under it. */
export interface Writer {
  readonly database: Database.Database;
  /** Released after every connection of the file is closed. */
  readonly file: HeldFile;
}

/** Opens a database file for writing; waits for other processes happen outside the driver, off the event loop. */
export function openWriter(
  Driver: SqliteDriverModule,
  path: string,
  onError: (error: unknown) => void,
): Writer {
  makeFile(path);
  const file = new HeldFile(path);
  try {
    takeIntoUse(Driver, path, { file, onError });
    return { database: openForWriting(Driver, path), file };
  } catch (error) {
    file.release();
    throw error;
  }
}

function openForWriting(Driver: SqliteDriverModule, path: string): Database.Database {
  const database = new Driver(path, { timeout: OPEN_TIMEOUT_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes the file when there is none; SQLite gives its side files the mode of the main file. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    // Only asked, not opened: closing a file drops the locks that this process holds on it.
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}

/** Opens the same file for reading; a reader sees every committed change and is never held up by a writer. */
export function openReader(Driver: SqliteDriverModule, path: string): Database.Database {
  // A file that is gone must not come back as an empty one.
  const database = new Driver(path, { timeout: OPEN_TIMEOUT_MS, fileMustExist: true });
  database.pragma('query_only = ON');
  return database;
}

/** Looks through every page from a connection of its own, which has none of them in memory yet, with what stands in the log. */
export function passesCheck(Driver: SqliteDriverModule, path: string): boolean {
  const database = openReader(Driver, path);
  try {
    return database.pragma('quick_check(1)', { simple: true }) === 'ok';
  } finally {
    database.close();
  }
}
