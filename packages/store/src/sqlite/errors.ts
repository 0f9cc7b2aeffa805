/** Gives every error of SQLite and of the file system under it a class of the store. */
import { dirname } from 'node:path';
import { isDatabaseError, StatementError, StoreUnavailableError } from '../errors.ts';
import type { UnavailableReason } from '../errors.ts';
import { isDiskFull } from './disk-room.ts';

const REASONS: Array<[prefix: string, reason: UnavailableReason]> = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_PROTOCOL', 'busy'],
  ['SQLITE_INTERRUPT', 'busy'],
  ['SQLITE_NOMEM', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR', 'lost'],
  ['SQLITE_CANTOPEN', 'lost'],
  ['SQLITE_READONLY_DBMOVED', 'gone'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_PERM', 'readonly'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  // From the file system itself, when a file is made.
  ['ENOENT', 'gone'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EIO', 'lost'],
  // A device, or the share of another machine, that went away.
  ['ENODEV', 'lost'],
  ['ENXIO', 'lost'],
  ['ESTALE', 'lost'],
  ['ENOTCONN', 'lost'],
  ['EREMOTEIO', 'lost'],
  ['EACCES', 'readonly'],
  ['EROFS', 'readonly'],
];

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** True when another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

/** True when the disk has no room. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_FULL') || code === 'ENOSPC';
}

/** True when the query names a table that does not exist. */
export function isMissingTable(error: unknown): boolean {
  return (
    error instanceof Error && codeOf(error) === 'SQLITE_ERROR' && error.message.startsWith('no such table')
  );
}

/** The typed error for what comes from the driver or the file; any other error as it is. */
export function toStoreError(error: unknown, file: string): unknown {
  if (isDatabaseError(error)) return error;
  const code = codeOf(error);
  const found = REASONS.find(([prefix]) => code.startsWith(prefix));
  if (found === undefined)
    return error instanceof Error && code.startsWith('SQLITE_') ? new StatementError(error, code) : error;
  // SQLite cannot open a file either when there is no room for what it keeps beside it.
  const reason = found[1] === 'lost' && isDiskFull(dirname(file)) ? 'full' : found[1];
  return new StoreUnavailableError(reason, error, file);
}

/** True when the file is not a whole database. */
export function isDamaged(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.reason === 'damaged';
}
