/** Gives every error of PostgreSQL and of the way to it a class of the store. */
import { isDatabaseError, StatementError, StoreUnavailableError } from '../errors.ts';
import type { UnavailableReason } from '../errors.ts';

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const LOST_TEXTS =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|not queryable/i;

const REASONS: Array<[pattern: RegExp, reason: UnavailableReason]> = [
  [/^53100$/, 'full'],
  // A standby, or a server that was told to take no writes.
  [/^25006$/, 'readonly'],
  // Lock and serialization conflicts, a statement or transaction that took too long, too many connections, out of memory.
  [/^(40000|40001|40003|40P01|55006|55P03|57014|25P03|25P04|53\w{3}|72000)$/, 'busy'],
  // Connection faults, shutdown and start-up of the server, a disk that does not answer, a refused sign-in, an absent database.
  [/^(08\w{3}|57P0\d|58\w{3}|28\w{3}|3D000)$/, 'lost'],
];

const SQL_STATE = /^[0-9A-Z]{5}$/;

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** True when the query names a table that does not exist. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '42P01';
}

/** What is wrong with a prepared statement: the tables have changed since, or the connection is not the one that prepared it. */
export type NameFault = 'outdated' | 'elsewhere';

/** Why a statement that has a name did not run; undefined for any fault of its own. */
export function faultOfName(error: unknown): NameFault | undefined {
  if (!(error instanceof StatementError)) return undefined;
  if (error.code === '26000' || error.code === '42P05') return 'elsewhere';
  return error.code === '0A000' && error.message.startsWith('cached plan') ? 'outdated' : undefined;
}

/** The typed error for whatever keeps a connection from being made: no code that asked can be at fault for it. */
export function toConnectError(error: unknown): StoreUnavailableError {
  const known = toStoreError(error);
  return known instanceof StoreUnavailableError ? known : new StoreUnavailableError('lost', error);
}

/** The typed error for what comes from the driver; any other error as it is. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error) || isDatabaseError(error)) return error;
  const code = codeOf(error);
  if (SOCKET_CODES.has(code) || LOST_TEXTS.test(error.message))
    return new StoreUnavailableError('lost', error);
  const found = REASONS.find(([pattern]) => pattern.test(code));
  if (found !== undefined) return new StoreUnavailableError(found[1], error);
  return SQL_STATE.test(code) ? new StatementError(error, code) : error;
}
