/** Tells which PostgreSQL and network errors mean that the database cannot serve right now. */
import { StoreUnavailableError } from '../errors.ts';
import type { UnavailableReason } from '../errors.ts';

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
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
  // Lock and serialization conflicts, a transaction that stood still, too many connections, out of memory.
  [/^(40001|40P01|55P03|25P03|53\w{3})$/, 'busy'],
  // Connection faults, shutdown and start-up of the server, a refused sign-in, an absent database.
  [/^(08\w{3}|57P0\d|28\w{3}|3D000)$/, 'lost'],
];

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** True when the query names a table that does not exist. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '42P01';
}

/** The typed error for what makes the database unavailable; any other error as it is. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailableError) return error;
  const code = codeOf(error);
  if (SOCKET_CODES.has(code) || LOST_TEXTS.test(error.message))
    return new StoreUnavailableError('lost', error);
  const found = REASONS.find(([pattern]) => pattern.test(code));
  return found ? new StoreUnavailableError(found[1], error) : error;
}
