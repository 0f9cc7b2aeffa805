/** Copies running SQLite files: each copy is the state of one moment, and the event loop stays free. */
import { chmodSync, existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BackupError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { isFull } from './errors.ts';
import { openReader } from './connections.ts';
import type { SqliteDriverModule } from './connections.ts';
import { markCopy } from './restored-copy.ts';

/** Copies the named files of the data folder that exist, and returns the paths of the copies. */
export async function backupFiles(
  Driver: SqliteDriverModule,
  { dataDir, targetDir, names }: { dataDir: string; targetDir: string; names: string[] },
): Promise<string[]> {
  const made = missingFolders(targetDir);
  makeFolder(targetDir);
  if (readdirSync(targetDir).length > 0) {
    throw new BackupError('The folder of the backup is not empty. Name a new or an empty folder.');
  }
  const copies: string[] = [];
  for (const name of names.filter((file) => existsSync(join(dataDir, file)))) {
    const target = join(targetDir, name);
    copies.push(target);
    try {
      makeFolder(dirname(target));
      await copyDatabase(Driver, join(dataDir, name), target);
    } catch (error) {
      clearAway(copies, made);
      throw isFull(error) ? new BackupError(FULL, { cause: error, file: target }) : error;
    }
  }
  return copies;
}

const FULL = 'The disk of the backup is full. Free some space there, or name a folder on another disk.';

/** The folders on the way that are not there yet, the innermost first. */
export function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.push(path);
  return missing;
}

/** Half a backup must not be taken for one. */
function clearAway(copies: readonly string[], folders: readonly string[]): void {
  for (const copy of copies)
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(copy + ending, { force: true });
  try {
    for (const folder of folders) rmdirSync(folder);
  } catch {
    // Somebody else has put something there, so it stays.
  }
}

async function copyDatabase(Driver: SqliteDriverModule, source: string, target: string): Promise<void> {
  const database = openReader(Driver, source);
  try {
    // An open read keeps one state in view, so that writers need not wait and the copy need not start again.
    database.exec('BEGIN');
    database.prepare('select count(*) from sqlite_schema').get();
    await database.backup(target);
    markCopy(Driver, target);
    chmodSync(target, 0o600);
  } finally {
    database.close();
  }
}
