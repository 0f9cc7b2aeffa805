/** Looks through the database files of a data folder for damage; for the doctor, since it reads every page. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFiles } from '../databases/sqlite-databases.ts';
import { passesCheck } from './connections.ts';
import { HeldFile } from './held-file.ts';
import { isDamaged, toStoreError } from './errors.ts';
import { MAIN_FILE } from './open.ts';
import { RECORDS_FILE } from './record-table.ts';
import { takeIntoUse } from './restored-copy.ts';

/** The files of the data folder that are no whole database. */
export async function damagedFiles(dataDir: string, onError: (error: unknown) => void): Promise<string[]> {
  const { default: Driver } = await import('better-sqlite3');
  const isWhole = (path: string): boolean => {
    const file = new HeldFile(path);
    try {
      // A look replays a log as well.
      takeIntoUse(Driver, path, { file, onError });
      return passesCheck(Driver, path);
    } finally {
      file.release();
    }
  };
  return [MAIN_FILE, RECORDS_FILE, ...databaseFiles(dataDir)]
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path))
    .filter((path) => {
      try {
        return !isWhole(path);
      } catch (error) {
        const failure = toStoreError(error, path);
        if (isDamaged(failure)) return true;
        throw failure;
      }
    });
}
