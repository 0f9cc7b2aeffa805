/** Tells which SQLite errors mean that the database cannot serve right now. */
import { dirname } from 'node:path';
import { StoreUnavailableError } from '../errors.ts';
import type { UnavailableReason } from '../errors.ts';
import { isDiskFull } from './disk-room.ts';

const REASONS: Array<[prefix: string, reason: UnavailableReason]> = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR', 'lost'],
  ['SQLITE_CANTOPEN', 'lost'],
  ['SQLITE_READONLY_DBMOVED', 'gone'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  // From the file system itself, when a file is made.
  ['ENOENT', 'gone'],
  ['ENOSPC', 'full'],
  ['EIO', 'lost'],
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

/** The typed error for what makes the file unavailable; any other error as it is. */
export function toStoreError(error: unknown, file: string): unknown {
  const code = codeOf(error);
  const found = REASONS.find(([prefix]) => code.startsWith(prefix));
  if (found === undefined) return error;
  // SQLite cannot open a file either when there is no room for what it keeps beside it.
  const reason = found[1] === 'lost' && isDiskFull(dirname(file)) ? 'full' : found[1];
  return new StoreUnavailableError(reason, error, file);
}

/** True when the file is not a whole database. */
export function isDamaged(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.reason === 'damaged';
}
