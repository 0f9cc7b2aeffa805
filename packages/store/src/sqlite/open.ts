/** Opens the SQLite engine: the main file, its connections, signals, records and backups. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Transaction } from 'kysely';
import { databaseFiles, sqliteDatabases } from '../databases/sqlite-databases.ts';
import { SteadyClock } from '../clock/steady-clock.ts';
import type { AnyTables, Engine, EngineOptions } from '../engine.ts';
import { StoreUnavailableError } from '../errors.ts';
import { LaneMeter } from '../figures.ts';
import type { LaneFigures } from '../figures.ts';
import { noPresence } from '../presence.ts';
import { backupFiles } from './backup.ts';
import { openReader, openWriter, passesCheck, StatementCache } from './connections.ts';
import type { SqliteDriverModule, Writer } from './connections.ts';
import { sqliteDialect } from './driver.ts';
import type { SqliteParts } from './driver.ts';
import { isMissingTable, toStoreError } from './errors.ts';
import { FileGuard } from './file-guard.ts';
import { sqliteLocks } from './locks.ts';
import { RECORDS_FILE, SqliteRecordTable } from './record-table.ts';
import { requireSpace } from './free-space.ts';
import { SqliteSignalLink } from './signal-link.ts';
import { TURN_MS, WriteLock } from './write-lock.ts';

/** The file of the state, inside the data folder. */
export const MAIN_FILE = 'parley.db';
const MIGRATION_WAIT_MS = 60_000;

/** The engine over the files of one data folder. */
export async function openSqlite(options: EngineOptions): Promise<Engine> {
  const { default: Driver } = await import('better-sqlite3');
  const { dataDir } = options;
  const path = join(dataDir, MAIN_FILE);
  const guard = new FileGuard(path, options.onError);
  const meter = new LaneMeter(options.spending);
  const parts = openParts(Driver, path, {
    meter,
    requireFiles: () => guard.require(),
    onError: options.onError,
  });
  await guard.start({ held: parts.file, passesCheck: () => passesCheck(Driver, path) });
  const db = new Kysely<AnyTables>({ dialect: sqliteDialect(parts) });
  const clock = new SteadyClock(() => Date.now());
  const now = (): number => clock.now();

  const migrateOnce = async <T>(work: (trx: Transaction<AnyTables>) => Promise<T>): Promise<T> => {
    try {
      return await db.transaction().execute(work);
    } finally {
      parts.writer.clear();
      parts.reader().clear();
      // Pages of a whole schema that nobody asks for again.
      parts.writer.database.pragma('shrink_memory');
    }
  };

  return {
    name: 'sqlite',
    system: 'sqlite',
    db,
    endingDb: db,
    tidyingDb: db,
    clock,
    hasWritten: writesOf(parts),
    signalLink: new SqliteSignalLink({ ...parts, options, now }),
    recordTable: new SqliteRecordTable(Driver, dataDir, options.onError),
    locks: sqliteLocks,
    presence: noPresence,
    databases: sqliteDatabases({
      dataDir,
      maxBytes: options.databaseBytes,
      driver: Driver,
      onError: options.onError,
    }),
    // A commit is in the file before anybody reads it.
    async flush() {},
    async runLast(trx, { statements }) {
      for (const { query, done } of statements) done((await trx.executeQuery(query)).rows);
    },
    migrationTransaction: (work) => untilFree(() => migrateOnce(work)),
    // Nobody writes beside a transaction of the store.
    async asSnapshot() {},
    letWritersThrough: () => delay(TURN_MS),
    isMissingTable,
    meters: [meter],
    lanes: () => [figuresOf(parts)],
    backup: (targetDir) =>
      backupFiles(Driver, {
        dataDir,
        targetDir,
        names: [MAIN_FILE, RECORDS_FILE, ...databaseFiles(dataDir)],
      }),
    async requireThere() {
      try {
        await guard.look();
        guard.require();
        await requireSpace(dataDir);
      } catch (error) {
        // From the file system, when the device under it went away.
        throw toStoreError(error, path);
      }
    },
    async close() {
      guard.close();
      await db.destroy();
      parts.close();
    },
  };
}

/** One connection writes, and whoever wants to write waits for it; readers wait for nobody. */
function figuresOf({ lock, meter }: SqliteParts): LaneFigures {
  const busy = lock.isHeld ? 1 : 0;
  const { waits, statements } = meter;
  return { lane: 'general', size: 1, busy, idle: 1 - busy, waiting: lock.waiting, waits, statements };
}

/** Counts the rows that this process has changed. */
function writesOf({ writer }: SqliteParts): () => boolean {
  const changes = writer.database.prepare<[], number>('select total_changes()').pluck();
  let seen = 0;
  return () => {
    const before = seen;
    seen = changes.get() ?? 0;
    return seen !== before;
  };
}

function openParts(
  Driver: SqliteDriverModule,
  path: string,
  {
    meter,
    requireFiles,
    onError,
  }: { meter: LaneMeter; requireFiles: () => void; onError: (error: unknown) => void },
): SqliteParts & { file: Writer['file']; close: () => void } {
  try {
    const { database, file } = openWriter(Driver, path, onError);
    const writer = new StatementCache(database);
    let reader: StatementCache | undefined;
    return {
      writer,
      reader: () => (reader ??= new StatementCache(openReader(Driver, path))),
      lock: new WriteLock(),
      meter,
      requireFiles,
      path,
      file,
      close() {
        reader?.database.close();
        writer.database.close();
        file.release();
      },
    };
  } catch (error) {
    throw toStoreError(error, path);
  }
}

// A long migration of another process is waited for, since starting without it is of no use.
async function untilFree<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof StoreUnavailableError && error.reason === 'busy';
      if (!isBusy || performance.now() - startedAt > MIGRATION_WAIT_MS) throw error;
    }
  }
}
