/** The process that a statement on SQLite runs in: one file, one statement at a time, ended from outside at any moment. */
import { Worker } from 'node:worker_threads';
import { constants, DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { Answer, bytesOf, checkColumns, integerOf } from './answer.ts';
import type { SqlFaultCode, SqlResult, SqlValue } from './databases.ts';
import { FULL, SqlFault } from './databases.ts';

/** What the process is asked; the first message also opens the file. */
export interface ProgramRequest {
  readonly file: string;
  readonly maxBytes: number;
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly timeoutMs: number;
}

/** What it answers. */
export type ProgramAnswer =
  | { readonly ok: true; readonly result: SqlResult }
  | { readonly ok: false; readonly code: SqlFaultCode; readonly message: string };

const LONGEST_VALUE = 8 * 1024 * 1024;
const MOST_MEMORY = 384 * 1024 * 1024;
const READABLE_PRAGMAS = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  'user_version',
  'page_count',
  'page_size',
  'freelist_count',
  'encoding',
]);
const TAKES_ARGUMENT = /_(x?info|list)$/;

// Native code hears nothing, so a thread beside it ends the process: past its time, or with too much memory.
const busyUntil = new Float64Array(new SharedArrayBuffer(8));
const WATCH = `
const { workerData } = require('node:worker_threads');
setInterval(() => {
  const isLate = workerData.busyUntil[0] > 0 && Date.now() > workerData.busyUntil[0];
  if (isLate || process.memoryUsage.rss() > workerData.mostMemory) process.kill(process.pid, 'SIGKILL');
}, 25);
`;
const LATE_MS = 1000;
const TOO_OLD = 'This version of Node cannot keep SQL apart. Run the server with the one that npm installed.';

let database: DatabaseSync | undefined;

function open({ file, maxBytes }: ProgramRequest): DatabaseSync {
  const opened = new DatabaseSync(file, {
    allowExtension: false,
    limits: { length: LONGEST_VALUE, attach: 0 },
  });
  // A Node that leaves one of these out would run statements with less around them.
  if (opened.limits?.attach !== 0 || typeof opened.setAuthorizer !== 'function') throw new Error(TOO_OLD);
  opened.enableDefensive(true);
  opened.exec('pragma temp_store = memory');
  const pageBytes = numberOf(opened, 'select page_size as n from pragma_page_size');
  opened.exec(`pragma max_page_count = ${Math.floor(maxBytes / pageBytes)}`);
  return opened;
}

/** The rules of the file, asked by SQLite itself for everything that a statement would do. */
function authorize(action: number, first: string | null, second: string | null): number {
  const { SQLITE_DENY, SQLITE_OK } = constants;
  if (action === constants.SQLITE_PRAGMA) {
    const isReadable =
      READABLE_PRAGMAS.has(first ?? '') && (second === null || TAKES_ARGUMENT.test(first ?? ''));
    return isReadable ? SQLITE_OK : SQLITE_DENY;
  }
  if (action === constants.SQLITE_CREATE_VTABLE) return second === 'fts5' ? SQLITE_OK : SQLITE_DENY;
  if (action === constants.SQLITE_FUNCTION && second === 'load_extension') return SQLITE_DENY;
  return REFUSED_ACTIONS.has(action) ? SQLITE_DENY : SQLITE_OK;
}

const REFUSED_ACTIONS = new Set<number>([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
]);

function run(on: DatabaseSync, { text, values, timeoutMs }: ProgramRequest): SqlResult {
  on.exec(`pragma busy_timeout = ${timeoutMs}`);
  on.exec('begin');
  const changedBefore = numberOf(on, 'select total_changes() as n');
  try {
    on.setAuthorizer(authorize);
    const statement = on.prepare(text);
    statement.setReadBigInts(true);
    const result = read(statement, values.map(boundOf));
    on.setAuthorizer(null);
    on.exec('commit');
    // A statement that returned rows may have changed some as well.
    const hasChanged = numberOf(on, 'select total_changes() as n') > changedBefore;
    const rowsAffected = hasChanged ? numberOf(on, 'select changes() as n') : 0;
    return { ...result, rowsAffected };
  } catch (error) {
    on.setAuthorizer(null);
    // Some errors end the transaction by themselves.
    if (on.isTransaction) on.exec('rollback');
    throw error;
  }
}

function read(
  statement: StatementSync,
  values: readonly SQLInputValue[],
): Pick<SqlResult, 'rows' | 'truncated'> {
  if (statement.columns().length === 0) {
    statement.run(...values);
    return { rows: [], truncated: false };
  }
  checkColumns(statement.columns());
  const answer = new Answer();
  for (const row of statement.iterate(...values)) {
    const shown: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(row)) shown[name] = shownOf(value);
    if (!answer.take(shown)) break;
  }
  return { rows: answer.rows, truncated: answer.isTruncated };
}

/** The number that a question of our own is answered with. */
function numberOf(on: DatabaseSync, question: string): number {
  return Number(on.prepare(question).get()?.n);
}

function boundOf(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'object' && value !== null) return Buffer.from(value.base64, 'base64');
  return value;
}

function shownOf(value: unknown): unknown {
  if (typeof value === 'bigint') return integerOf(value);
  return value instanceof Uint8Array ? bytesOf(value) : value;
}

const REFUSED = 23;
const CODES = new Map<number, [code: SqlFaultCode, message?: string]>([
  [5, ['timeout', 'Another statement held the database for all of the time. Try again.']],
  [7, ['too_large', 'The statement needs more memory than it may have. Ask for less.']],
  [11, ['unavailable', 'The file of this database is damaged. Restore it from a backup.']],
  [13, ['too_large', FULL]],
  [18, ['too_large', 'A value is over 8 MiB. Store less in one.']],
  [
    REFUSED,
    ['forbidden', 'The statement would leave this database or change how it works, which it may not.'],
  ],
  [26, ['unavailable', 'The file of this database is damaged. Restore it from a backup.']],
]);

function faultOf(error: unknown): ProgramAnswer {
  if (error instanceof SqlFault) return { ok: false, code: error.code, message: error.message };
  const said = error instanceof Error ? error.message : 'The statement failed.';
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  if (said === TOO_OLD) return { ok: false, code: 'unavailable', message: said };
  // A function that is refused has the code of any other error.
  const kind = said.startsWith('not authorized') ? REFUSED : errcode & 0xff;
  const [code, message = said] = CODES.get(kind) ?? ['sql_error'];
  return { ok: false, code, message };
}

process.on('message', (request: ProgramRequest) => {
  busyUntil[0] = Date.now() + request.timeoutMs + LATE_MS;
  let answer: ProgramAnswer;
  try {
    answer = { ok: true, result: run((database ??= open(request)), request) };
  } catch (error) {
    answer = faultOf(error);
  }
  busyUntil[0] = 0;
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());
// Nobody else on the machine reads the file.
process.umask(0o077);
const watching = new Worker(WATCH, { eval: true, workerData: { busyUntil, mostMemory: MOST_MEMORY } });
// A statement without its watch would have no end.
watching.once('online', () => process.send?.({ ready: true }));
watching.once('exit', () => process.exit(1));
