/** Databases of connections on SQLite: a file each, which only a process of its own ever opens. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import type { DatabaseEngine } from './connection-databases.ts';
import { SqliteProcesses } from './sqlite-process.ts';

const FOLDER = 'databases';

/** The files that there are, as paths inside the data folder. */
export function databaseFiles(dataDir: string): string[] {
  try {
    const names = readdirSync(join(dataDir, FOLDER));
    return names.filter((name) => name.endsWith('.db')).map((name) => join(FOLDER, name));
  } catch {
    // No connection has one yet.
    return [];
  }
}

export function sqliteDatabases(dataDir: string, maxBytes: number): DatabaseEngine {
  const folder = join(dataDir, FOLDER);
  const processes = new SqliteProcesses();
  const fileOf = (name: string) => join(folder, `${name}.db`);
  return {
    isAvailable: true,
    nameFor: (connectionId) => connectionId,
    async create() {
      makeFolder(folder);
      return undefined;
    },
    run({ name }, { text, values }, { timeoutMs, signal }) {
      return processes.run({ file: fileOf(name), maxBytes, text, values, timeoutMs }, signal);
    },
    async remove({ name }) {
      await processes.end(fileOf(name));
      for (const suffix of ['', '-journal']) rmSync(fileOf(name) + suffix, { force: true });
    },
    close: () => processes.close(),
  };
}
