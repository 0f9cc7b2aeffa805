/** Copies running SQLite files: each copy is the state of one moment, and the event loop stays free. */
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { openReader } from './connections.ts';
import type { SqliteDriverModule } from './connections.ts';
import { markCopy } from './restored-copy.ts';

/** Copies the named files of the data folder that exist, and returns the paths of the copies. */
export async function backupFiles(
  Driver: SqliteDriverModule,
  { dataDir, targetDir, names }: { dataDir: string; targetDir: string; names: string[] },
): Promise<string[]> {
  makeFolder(targetDir);
  if (readdirSync(targetDir).length > 0) {
    throw new BackupError('The folder of the backup is not empty. Name a new or an empty folder.');
  }
  const copies: string[] = [];
  for (const name of names.filter((file) => existsSync(join(dataDir, file)))) {
    const target = join(targetDir, name);
    makeFolder(dirname(target));
    await copyDatabase(Driver, join(dataDir, name), target);
    copies.push(target);
  }
  return copies;
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
