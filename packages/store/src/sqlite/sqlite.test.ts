/** What only SQLite needs: file modes, waiting for another process, a full disk, backups, missed signals. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { callRecord } from '../../test/call-record.ts';
import { BackupError, openStore, StoreUnavailableError } from '../index.ts';
import type { MigrationSet, SignalEvent, Store } from '../index.ts';
import { scratchDatabase, scratchStore } from '../testing/index.ts';
import type { ScratchDatabase } from '../testing/index.ts';

interface Tables {
  notes: { id: string; text: string };
}

const notes: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await db.schema.createTable('notes').addColumn('id', 'text').addColumn('text', 'text').execute();
    },
  },
};

const errors: unknown[] = [];
let scratch: ScratchDatabase;
let store: Store;
let dataDir: string;

beforeEach(async () => {
  errors.length = 0;
  scratch = await scratchDatabase('sqlite');
  ({ dataDir } = scratch.options);
  store = await openStore({ ...scratch.options, onError: (error) => errors.push(error) });
  await store.migrate([notes]);
});

afterEach(async () => {
  await store.close();
  await scratch.remove();
});

const add = (id: string, text = 'x') => store.db<Tables>().insertInto('notes').values({ id, text }).execute();
const count = async (): Promise<number> =>
  (await store.db<Tables>().selectFrom('notes').select('id').execute()).length;

function appendRecords(total: number): void {
  for (let index = 0; index < total; index += 1) {
    store.records.append(callRecord());
  }
}

test('the data folder and its files belong to their owner only', async () => {
  await add('a');
  appendRecords(1);
  await store.records.flush();
  await store.close();
  store = await openStore({ dataDir: join(dataDir, 'deeper/folder') });
  await store.migrate([]);
  expect(statSync(join(dataDir, 'deeper/folder')).mode & 0o777).toBe(0o700);
  for (const file of ['parley.db', 'records.db', 'secret.key', 'deeper/folder/parley.db']) {
    expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
  }
});

test('a folder that must have a database and has none is refused, and nothing is made there', async () => {
  const mistyped = join(dataDir, 'mistyped');
  await expect(openStore({ dataDir: mistyped, mustExist: true })).rejects.toThrow(
    `There is no parley.db in ${mistyped}. Give the data folder of a server`,
  );
  // Not even where the data lies elsewhere: the key to it is in the folder.
  const databaseUrl = 'postgres://127.0.0.1:1/none';
  await expect(openStore({ dataDir: mistyped, databaseUrl, mustExist: true })).rejects.toThrow(
    'There is no secret.key',
  );
  expect(existsSync(mistyped)).toBe(false);
  const again = await openStore({ dataDir, mustExist: true });
  await again.close();
});

test('the database runs in WAL mode with foreign keys on', async () => {
  const pragma = async (name: string) => (await sql.raw(`pragma ${name}`).execute(store.db())).rows[0];
  expect(await pragma('journal_mode')).toEqual({ journal_mode: 'wal' });
  expect(await pragma('synchronous')).toEqual({ synchronous: 1 });
  expect(await pragma('foreign_keys')).toEqual({ foreign_keys: 1 });
});

test('a raw query that writes is told apart from one that reads', async () => {
  await sql`insert into notes (id, text) values ('raw', 'x')`.execute(store.db());
  expect((await sql`select id from notes`.execute(store.db())).rows).toEqual([{ id: 'raw' }]);
  const { rows } = await sql`delete from notes returning id`.execute(store.db());
  expect(rows).toEqual([{ id: 'raw' }]);
  expect(await count()).toBe(0);
});

test('a writer waits for another process without holding up this one', async () => {
  const other = new Database(join(dataDir, 'parley.db'));
  other.exec('begin immediate');
  const writing = Promise.all([
    add('alone'),
    store.transaction((tx) => tx.db<Tables>().deleteFrom('notes').execute()),
  ]);
  let turns = 0;
  await eventually(() => expect((turns += 1)).toBe(3));
  expect(await count()).toBe(0);
  other.exec('commit');
  other.close();
  await writing;
  expect(errors).toEqual([]);
});

test('a full disk refuses writes with a fixed text, reads go on, and space brings writes back', async () => {
  await add('first');
  await sql`pragma max_page_count = 1`.execute(store.db());
  const failed = await add('big', 'x'.repeat(200_000)).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreUnavailableError);
  expect(failed).toMatchObject({ reason: 'full', message: new StoreUnavailableError('full').message });
  const inTransaction = store.transaction((tx) =>
    tx
      .db<Tables>()
      .insertInto('notes')
      .values({ id: 'big', text: 'x'.repeat(200_000) })
      .execute(),
  );
  await expect(inTransaction).rejects.toThrow(StoreUnavailableError);
  expect(await count()).toBe(1);
  await sql`pragma max_page_count = 1000000`.execute(store.db());
  await add('big', 'x'.repeat(200_000));
  expect(await count()).toBe(2);
});

test('records that cannot be written wait, are reported, and arrive later', async () => {
  appendRecords(1);
  await store.records.flush();
  const other = new Database(join(dataDir, 'records.db'));
  other.exec('begin immediate');
  appendRecords(3);
  await expect(store.records.flush()).rejects.toThrow(StoreUnavailableError);
  expect(store.records.pending).toBe(3);
  other.exec('rollback');
  other.close();
  await store.records.flush();
  expect(await store.records.count()).toBe(4);
  expect(store.records.dropped).toBe(0);
});

test('a process that slept past many signals is told to read everything again', async () => {
  const other = await openStore(scratch.options);
  const seen: SignalEvent[] = [];
  store.signal.subscribe('notes/', (event) => seen.push(event));
  await other.transaction(async (tx) => {
    for (let index = 0; index < 5_000; index += 1) await tx.signal(`notes/${index}`);
  });
  await eventually(() => expect(seen.at(-1)?.topic).toBe('notes/4999'));
  expect(seen[0]?.topic).toBe('*');
  await other.close();
});

test('many signals of its own do not look like missed ones', async () => {
  const other = await openStore(scratch.options);
  const seen: string[] = [];
  store.signal.subscribe('', ({ topic }) => seen.push(topic));
  await store.transaction(async (tx) => {
    for (let index = 0; index < 5_000; index += 1) await tx.signal('own');
  });
  await other.signal.publish('foreign');
  await eventually(() => expect(seen.at(-1)).toBe('foreign'));
  expect(seen).toHaveLength(5_001);
  expect(seen).not.toContain('*');
  await other.close();
});

test('a backup of a busy store is whole, opens with the same key, and holds no key', async () => {
  await store.transaction(async (tx) => {
    for (let index = 0; index < 500; index += 1) {
      await tx
        .db<Tables>()
        .insertInto('notes')
        .values({ id: `n${index}`, text: 'x'.repeat(2_000) })
        .execute();
    }
  });
  appendRecords(100);
  const targetDir = join(dataDir, 'backups/one');
  const writer = (async () => {
    for (let index = 0; index < 200; index += 1) await add(`later${index}`);
  })();
  const files = await store.backup(targetDir);
  await writer;
  expect(files).toEqual([join(targetDir, 'parley.db'), join(targetDir, 'records.db')]);
  expect(readdirSync(targetDir).toSorted()).toEqual(['parley.db', 'records.db']);
  for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);

  const restored = await openStore({ dataDir: targetDir });
  expect(await restored.migrate([notes])).toEqual([]);
  const early = await restored
    .db<Tables>()
    .selectFrom('notes')
    .select('id')
    .where('id', 'like', 'n%')
    .execute();
  expect(early).toHaveLength(500);
  expect(await restored.records.count()).toBe(100);
  expect((await sql`pragma integrity_check`.execute(restored.db())).rows).toEqual([
    { integrity_check: 'ok' },
  ]);
  await restored.close();
});

test('a backup is refused in a folder that holds something', async () => {
  mkdirSync(join(dataDir, 'used'));
  writeFileSync(join(dataDir, 'used/file'), '');
  await expect(store.backup(join(dataDir, 'used'))).rejects.toThrow(BackupError);
  expect(readdirSync(join(dataDir, 'used'))).toEqual(['file']);
});

test('a throwaway store leaves nothing behind', async () => {
  const throwaway = await scratchStore();
  await throwaway.migrate([notes]);
  await throwaway[Symbol.asyncDispose]();
  await expect(throwaway.ping()).rejects.toThrow(Error);
});

test('after a pause of the process nothing counts until what others did is heard', async () => {
  const other = await openStore(scratch.options);
  const heard: boolean[] = [];
  store.signal.subscribe('notes/', () => heard.push(store.signal.isBroken()));
  expect(store.signal.isBroken()).toBe(false);
  await other.signal.publish('notes/1');
  const real = performance.now.bind(performance);
  const now = vi.spyOn(performance, 'now').mockImplementation(() => real() + 3_000);
  onTestFinished(() => now.mockRestore());
  // As a request would find it that comes first.
  expect(store.signal.isBroken()).toBe(true);
  await eventually(() => expect(heard).toHaveLength(1));
  await eventually(() => expect(store.signal.isBroken()).toBe(false));
  await other.close();
});
