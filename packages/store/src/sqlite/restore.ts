/** Makes a data folder of a backup: copied beside its place, looked through, and moved there whole. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { constants, chmod, copyFile, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { databaseFiles } from '../databases/sqlite-databases.ts';
import { BackupError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { KEY_FILE } from '../secrets/secret-key.ts';
import { missingFolders } from './backup.ts';
import { damagedFiles } from './check-files.ts';
import { isFull } from './errors.ts';
import { MAIN_FILE } from './open.ts';
import { RECORDS_FILE } from './record-table.ts';

/** What may lie in the folder before: the keys, which no backup has. */
const KEYS: ReadonlySet<string> = new Set([KEY_FILE, 'owner.key']);

export interface RestoreOptions {
  readonly backupDir: string;
  readonly dataDir: string;
  /** Done on the copy before it is in its place; what it throws leaves nothing behind. */
  readonly prepare: (copyDir: string) => Promise<void>;
}

/** Restores into a folder that is new or holds keys alone; returns the files that it made. */
export async function restoreFiles({ backupDir, dataDir, prepare }: RestoreOptions): Promise<string[]> {
  const names = filesOf(backupDir);
  requireRoom(dataDir);
  const made = missingFolders(dataDir);
  makeFolder(dataDir);
  // On the same disk, so that each file is moved at once.
  const copyDir = join(dataDir, `.restore-${randomBytes(6).toString('hex')}`);
  try {
    for (const name of names) await copy(join(backupDir, name), join(copyDir, name));
    const [damaged] = await damagedFiles(copyDir, () => undefined);
    if (damaged !== undefined)
      throw new BackupError('The backup is damaged. Restore another one.', {
        file: join(backupDir, damaged.slice(copyDir.length + 1)),
      });
    await prepare(copyDir);
    const log = logBeside(copyDir, names);
    if (log !== undefined)
      throw new BackupError('The copy of the backup is in use. Try again.', { file: log });
    for (const name of names) await flush(join(copyDir, name));
    return moveIntoPlace(names, copyDir, dataDir);
  } catch (error) {
    clearAway(copyDir, made);
    throw isFull(error) ? new BackupError(FULL, { cause: error, file: join(dataDir, MAIN_FILE) }) : error;
  }
}

const FULL = 'The disk of the data folder is full. Free some space there, or name a folder on another disk.';

/** The main file is the last to come: without it there is no installation, whatever else lies there. */
function filesOf(backupDir: string): string[] {
  const main = join(backupDir, MAIN_FILE);
  if ((statSync(main, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new BackupError('There is no backup to restore. Name the folder that "parley backup" made.', {
      file: main,
    });
  const others = [...databaseFiles(backupDir), RECORDS_FILE];
  const names = [...others.filter((name) => existsSync(join(backupDir, name))), MAIN_FILE];
  const log = logBeside(backupDir, names);
  if (log === undefined) return names;
  throw new BackupError(
    'The folder holds a database in use, not a backup: a log lies beside it. Make a backup of it with "parley backup" and restore that.',
    { file: log },
  );
}

/** A log that something of a database is still in. */
function logBeside(folder: string, names: readonly string[]): string | undefined {
  return names
    .flatMap((name) => ['-wal', '-journal'].map((suffix) => join(folder, `${name}${suffix}`)))
    .find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function requireRoom(dataDir: string): void {
  const info = statSync(dataDir, { throwIfNoEntry: false });
  if (info === undefined) return;
  const other = info.isDirectory() ? readdirSync(dataDir).find((name) => !KEYS.has(name)) : '';
  if (other === undefined) return;
  throw new BackupError(
    'The folder to restore into is not empty. Name a new one, or one that holds secret.key and owner.key alone.',
    { file: join(dataDir, other) },
  );
}

async function copy(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function moveIntoPlace(names: readonly string[], copyDir: string, dataDir: string): string[] {
  const moved = names.map((name) => {
    const path = join(dataDir, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    renameSync(join(copyDir, name), path);
    return path;
  });
  rmSync(copyDir, { recursive: true, force: true });
  return moved.toReversed();
}

/** Half of a restore must not be taken for one. */
function clearAway(copyDir: string, made: readonly string[]): void {
  rmSync(copyDir, { recursive: true, force: true });
  try {
    for (const folder of made) rmdirSync(folder);
  } catch {
    // Somebody else has put something there, so it stays.
  }
}
