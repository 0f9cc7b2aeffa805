/** Takes a copy of a backup into use: a log that lies beside it is of another database, and SQLite would replay it. */
import { renameSync, rmSync } from 'node:fs';
import type { SqliteDriverModule } from './connections.ts';
import { COPY_MARK } from './held-file.ts';
import type { HeldFile } from './held-file.ts';

const LOCK_TIMEOUT_MS = 5_000;

/** Marks a finished copy, which then needs no log to be whole. */
export function markCopy(Driver: SqliteDriverModule, path: string): void {
  const database = new Driver(path, { fileMustExist: true });
  try {
    database.pragma('journal_mode = DELETE');
    database.pragma(`application_id = ${COPY_MARK}`);
  } finally {
    database.close();
  }
}

/** Puts the log of another database aside when the file is a fresh copy; before anything opens the file. */
export function takeIntoUse(
  Driver: SqliteDriverModule,
  path: string,
  { file, onError }: { file: HeldFile; onError: (error: unknown) => void },
): void {
  if (file.header()?.isFreshCopy !== true) return;
  const lockPath = `${path}.restore-lock`;
  const lock = new Driver(lockPath, { timeout: LOCK_TIMEOUT_MS });
  try {
    // One process at a time: the next one must not take the new log of this one for the old one.
    lock.exec('BEGIN EXCLUSIVE');
    if (file.header()?.isFreshCopy !== true) return;
    const aside = putLogAside(path);
    clearMark(Driver, path);
    rmSync(lockPath, { force: true });
    if (aside.length > 0) onError(new Error(asideText(path, aside)));
  } finally {
    lock.close();
  }
}

function asideText(path: string, aside: readonly string[]): string {
  return `${path} is a copy of a backup, and beside it lay the log of the database that it replaced. The log was not used; it is kept as ${aside.join(' and ')}. Delete it when nothing in it is wanted.`;
}

function putLogAside(path: string): string[] {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  return ['-wal', '-shm', '-journal'].flatMap((suffix) => {
    const aside = `${path}${suffix}.stale-${time}`;
    try {
      renameSync(`${path}${suffix}`, aside);
      return [aside];
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  });
}

function clearMark(Driver: SqliteDriverModule, path: string): void {
  const database = new Driver(path, { fileMustExist: true, timeout: LOCK_TIMEOUT_MS });
  try {
    database.pragma('application_id = 0');
  } finally {
    database.close();
  }
}
