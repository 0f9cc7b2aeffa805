/** Opens a store: picks the engine and puts signal, secrets and records around it. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { followMark } from './clock/clock-mark.ts';
import { createDatabases } from './databases/connection-databases.ts';
import { MAX_DATABASE_BYTES } from './databases/databases.ts';
import type { Databases } from './databases/databases.ts';
import type { AnyTables, Engine, EngineOptions, LastStatement } from './engine.ts';
import { unavailableOf } from './figures.ts';
import { makeFolder } from './make-folder.ts';
import { migrate, pending } from './migrations.ts';
import { BufferedRecordLog } from './records/record-log.ts';
import { refuseLostKey } from './secrets/lost-key.ts';
import { createSecretBox } from './secrets/secret-box.ts';
import { KEY_FILE, loadKeyRing } from './secrets/secret-key.ts';
import { SignalHub, signalEvent } from './signals/change-signal.ts';
import type { SignalEvent } from './signals/change-signal.ts';
import { Spending } from './spending.ts';
import type { Lane, LastQuery, Store, StoreOptions, StoreTransaction } from './store.ts';
import { createWriteProbe } from './write-probe.ts';

/** Opens the database in the data folder, or at the address that is given. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, secretKey, recordRetention, onError = () => {} } = options;
  const { databaseBytes = MAX_DATABASE_BYTES } = options;
  if (options.mustExist === true) await requireData(options);
  if (options.keyMustFit === true) await refuseLostKey(options);
  makeFolder(dataDir);
  const secrets = createSecretBox(loadKeyRing(dataDir, secretKey));
  const spending = new Spending();
  const engine = await openEngine(
    {
      dataDir,
      origin: randomBytes(9).toString('base64url'),
      databaseBytes,
      isPooled: options.preparedStatements === false,
      directUrl: options.directUrl,
      spending,
      onError,
    },
    databaseUrl,
  );
  const mark = options.clock ? undefined : await followMark(engine, onError);
  const clock = options.clock ?? (() => engine.clock.now());
  const hub = new SignalHub(engine.signalLink, { spending, onError });
  const records = new BufferedRecordLog({
    table: engine.recordTable,
    retention: recordRetention,
    clock,
    onError,
  });
  const transaction: Store['transaction'] = (work, { lane } = {}) =>
    runTransaction(engine, hub, { work, lane });
  const databases = createDatabases({ engine, databases: engine.databases, secrets, clock, onError });
  let closing: Promise<void> | undefined;

  return {
    engine: engine.name,
    secrets,
    records,
    databases,
    presence: engine.presence,
    spending,
    figures: () => ({
      system: engine.system,
      lanes: engine.lanes(),
      unavailable: unavailableOf(engine.meters),
      signals: hub.figures(),
    }),
    signal: {
      publish: (topic, payload) => transaction((tx) => tx.signal(topic, payload)),
      subscribe: (prefix, fn) => hub.subscribe(prefix, fn),
      wait: (prefix, waitOptions) => hub.wait(prefix, waitOptions),
      isBroken: () => hub.isBroken(),
    },
    db: () => engine.db,
    migrate: (sets) => migrate(engine, sets, clock),
    pending: (sets) => pending(engine, sets),
    transaction,
    now: clock,
    snapshot: (work) =>
      transaction(async (tx) => {
        await engine.asSnapshot(tx.db());
        return work(tx);
      }),
    flush: () => engine.flush(),
    letWritersThrough: () => engine.letWritersThrough(),
    async backup(targetDir) {
      await records.flush();
      return engine.backup(targetDir);
    },
    ping: createWriteProbe(engine, clock),
    close() {
      closing ??= closeAll({ engine, hub, records, databases, mark });
      return closing;
    },
  };
}

/** A mistyped folder would be an empty database, and everything missing in it. */
async function requireData({ dataDir, databaseUrl, secretKey }: StoreOptions): Promise<void> {
  const needed: string[] = [];
  if (databaseUrl === undefined) needed.push((await import('./sqlite/open.ts')).MAIN_FILE);
  if (secretKey === undefined) needed.push(KEY_FILE);
  const missing = needed.find((name) => !existsSync(join(dataDir, name)));
  if (missing === undefined) return;
  throw new Error(
    `There is no ${missing} in ${dataDir}. Give the data folder of a server, or leave out mustExist to begin one there.`,
  );
}

/** The SQLite files of a data folder that are no whole database; reads every page of them. `onError` is told of a log that was put aside. */
export async function damagedFiles(
  dataDir: string,
  onError: (error: unknown) => void = () => {},
): Promise<string[]> {
  return (await import('./sqlite/check-files.ts')).damagedFiles(dataDir, onError);
}

/** Makes a data folder of a backup of SQLite; nothing of it is there before `prepare` has done its part on the copy. */
export async function restoreBackup(
  backupDir: string,
  dataDir: string,
  prepare: (copyDir: string) => Promise<void>,
): Promise<string[]> {
  return (await import('./sqlite/restore.ts')).restoreFiles({ backupDir, dataDir, prepare });
}

// The engines are loaded on demand, so that a start pays only for the one it uses.
async function openEngine(options: EngineOptions, databaseUrl: string | undefined): Promise<Engine> {
  if (databaseUrl === undefined) return (await import('./sqlite/open.ts')).openSqlite(options);
  return (await import('./postgres/open.ts')).openPostgres(options, databaseUrl);
}

async function runTransaction<T>(
  engine: Engine,
  hub: SignalHub,
  { work, lane }: { work: (tx: StoreTransaction) => Promise<T>; lane: Lane | undefined },
): Promise<T> {
  const events: SignalEvent[] = [];
  const tokens: number[] = [];
  const last: LastStatement[] = [];
  const announced: SignalEvent[] = [];
  const hooks: Array<() => void> = [];
  let isEarly = false;
  const db = { general: engine.db, ending: engine.endingDb, tidying: engine.tidyingDb }[lane ?? 'general'];
  const announce = async (on: Kysely<AnyTables>) => {
    for (const event of announced.splice(0)) {
      tokens.push(await engine.signalLink.write(on, event));
      events.push(event);
    }
  };
  const result = await db.transaction().execute(async (trx) => {
    const done = await work({
      engine: engine.name,
      db: () => trx,
      locked: (query, options) => engine.locks.locked(query, options),
      hold: (query) => engine.locks.hold(query),
      exclusive: (key) => engine.locks.exclusive(trx, key),
      shared: (key) => engine.locks.shared(trx, key),
      tryExclusive: (key) => engine.locks.tryExclusive(trx, key),
      async signal(topic, payload) {
        announced.push(signalEvent(topic, payload));
        await announce(trx);
      },
      last<Row>(query: LastQuery<Row>, then?: (rows: readonly Row[]) => readonly SignalEvent[] | undefined) {
        last.push({
          query: query.compile(trx),
          // What the statement returns is what its writer says.
          done: (rows) => announced.push(...(then?.(rows as readonly Row[]) ?? [])),
        });
      },
      letGoEarly() {
        isEarly = true;
      },
      committed: (hook) => hooks.push(hook),
    });
    if (last.length > 0) await engine.runLast(trx, { statements: last, isEarly });
    await announce(trx);
    return done;
  });
  // Rows that came with the commit: where that is so, signals are no part of the transaction.
  await announce(db);
  if (events.length > 0) hub.committed(events, tokens);
  for (const hook of hooks) hook();
  return result;
}

interface Parts {
  readonly engine: Engine;
  readonly hub: SignalHub;
  readonly records: BufferedRecordLog;
  readonly databases: Databases;
  readonly mark: { close: () => Promise<void> } | undefined;
}

async function closeAll({ engine, hub, records, databases, mark }: Parts): Promise<void> {
  hub.close();
  await databases.close();
  await records.close();
  await mark?.close();
  await engine.close();
}
