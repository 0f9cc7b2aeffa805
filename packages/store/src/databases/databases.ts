/** Databases of connections: what a caller's own SQL may do, whatever the engine. */
import type { Queryable } from '../store.ts';

/** A value that is bound to a statement. */
export type SqlValue = string | number | boolean | null | { readonly base64: string };

/** One statement for the database of one connection. */
export interface SqlRequest {
  /** Who asks; organizations share the places for statements. */
  readonly organizationId: string;
  readonly connectionId: string;
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Begins with the statement; waiting for its turn has a limit of its own. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What a statement answered. */
export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowsAffected: number;
  /** There were more rows, or more bytes, than an answer holds. */
  readonly truncated: boolean;
}

/** The databases of all connections. */
export interface Databases {
  /** False where the server cannot keep them apart; nothing runs then. */
  readonly isAvailable: boolean;
  /** Runs one statement in a transaction of its own; makes the database with the first one. */
  run(request: SqlRequest): Promise<SqlResult>;
  /** These connections go with the transaction: a new one of such an id starts empty, and the old database goes 7 days later. */
  forget(tx: Queryable, organizationId: string, connectionIds: readonly string[]): Promise<void>;
  /** Removes databases whose time has come and returns how many; runs by itself once an hour. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}

/** Why a statement gave no result. */
export type SqlFaultCode =
  | 'invalid'
  | 'forbidden'
  | 'sql_error'
  | 'timeout'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable';

/** A statement that failed; the text is for whoever wrote it and carries no path or name of the server. */
export class SqlFault extends Error {
  override readonly name = 'SqlFault';
  readonly code: SqlFaultCode;

  constructor(code: SqlFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const MAX_ROWS = 1000;
export const MAX_ANSWER_BYTES = 1024 * 1024;
/** How large a database may grow by default. */
export const MAX_DATABASE_BYTES = 256 * 1024 * 1024;

export const TIMED_OUT =
  'The statement took longer than its time and was ended. Ask for less, or for more time.';
export const FULL = 'The database has no room for this. Delete something first.';
