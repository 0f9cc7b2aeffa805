/** Databases of connections on SQLite: a file each, which only a process of its own ever opens. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import type { SqliteDriverModule } from '../sqlite/connections.ts';
import { HeldFile } from '../sqlite/held-file.ts';
import { takeIntoUse } from '../sqlite/restored-copy.ts';
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

/** What the files are opened with. */
export interface SqliteDatabasesOptions {
  readonly dataDir: string;
  readonly maxBytes: number;
  readonly driver: SqliteDriverModule;
  readonly onError: (error: unknown) => void;
}

export function sqliteDatabases(options: SqliteDatabasesOptions): DatabaseEngine {
  const { dataDir, maxBytes, driver, onError } = options;
  const folder = join(dataDir, FOLDER);
  const processes = new SqliteProcesses();
  const fileOf = (name: string) => join(folder, `${name}.db`);
  const inUse = new Set<string>();
  /** A copy of a backup must not meet the journal of the file that it replaced. */
  const prepare = (path: string) => {
    if (inUse.has(path)) return;
    inUse.add(path);
    if (!existsSync(path)) return;
    const file = new HeldFile(path);
    try {
      takeIntoUse(driver, path, { file, onError });
    } finally {
      file.release();
    }
  };
  return {
    isAvailable: true,
    nameFor: (connectionId) => connectionId,
    async create() {
      makeFolder(folder);
      return undefined;
    },
    async run({ name }, { text, values }, { timeoutMs, signal }) {
      prepare(fileOf(name));
      return processes.run({ file: fileOf(name), maxBytes, text, values, timeoutMs }, signal);
    },
    async remove({ name }) {
      await processes.end(fileOf(name));
      inUse.delete(fileOf(name));
      for (const suffix of ['', '-journal']) rmSync(fileOf(name) + suffix, { force: true });
    },
    close: () => processes.close(),
  };
}
