/** Files that are gone, full, read-only or damaged under an open SQLite store: noticed, refused, and said. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { callRecord } from '../../test/call-record.ts';
import { damagedFiles, openStore, StoreUnavailableError } from '../index.ts';
import type { MigrationSet, Store, UnavailableReason } from '../index.ts';
import { scratchDatabase } from '../testing/index.ts';
import type { ScratchDatabase } from '../testing/index.ts';

interface Tables {
  notes: { id: string };
}

const notes: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await db.schema.createTable('notes').addColumn('id', 'text').execute();
    },
  },
};

const errors: unknown[] = [];
let scratch: ScratchDatabase;
let dataDir: string;
let store: Store;

beforeEach(async () => {
  errors.length = 0;
  scratch = await scratchDatabase('sqlite');
  dataDir = join(scratch.options.dataDir, 'data');
  store = await openAgain();
  await add('before');
});

afterEach(async () => {
  await store.close();
  await scratch.remove();
});

async function openAgain(): Promise<Store> {
  const opened = await openStore({ dataDir, onError: (error) => errors.push(error) });
  await opened.migrate([notes]);
  return opened;
}

const add = (id: string) => store.db<Tables>().insertInto('notes').values({ id }).execute();
const addInTransaction = (id: string) =>
  store.transaction((tx) => tx.db<Tables>().insertInto('notes').values({ id }).execute());
const ids = async () =>
  (await store.db<Tables>().selectFrom('notes').select('id').execute()).map(({ id }) => id);
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );
const unavailable = (reason: UnavailableReason) =>
  expect.objectContaining({
    name: 'StoreUnavailableError',
    reason,
    message: new StoreUnavailableError(reason).message,
  });
/** A look older than a second counts no more. */
const lookedAgain = async (found: unknown) =>
  eventually(async () => expect(await failureOf(store.ping())).toEqual(found), 50);

const record = (tool: string) => callRecord({ tool });

const recorded = async () =>
  (await store.records.list({ organizationId: 'org_a', limit: 100 })).map(({ tool }) => tool);

/** Overwrites a part of a file that no program has open. */
async function spoil(file: string, from: number, length: number): Promise<void> {
  const handle = await open(join(dataDir, file), 'r+');
  await handle.write(Buffer.alloc(length, 0x5a), 0, length, from);
  await handle.close();
}

test.each([
  ['the data folder is deleted', () => rmSync(dataDir, { recursive: true })],
  ['the data folder is moved away', () => renameSync(dataDir, `${dataDir}-elsewhere`)],
  ['the database file is deleted', () => rmSync(join(dataDir, 'parley.db'))],
  ['the log of the database is deleted', () => rmSync(join(dataDir, 'parley.db-wal'))],
  [
    'another file stands in its place',
    () => {
      cpSync(join(dataDir, 'parley.db'), join(dataDir, 'copy.db'));
      renameSync(join(dataDir, 'copy.db'), join(dataDir, 'parley.db'));
    },
  ],
])('writes are refused from a moment after %s, and the probe says why', async (_name, remove) => {
  // The side files are known once they were seen.
  await store.ping();
  remove();
  const refused = unavailable('gone');
  await eventually(async () => expect(await failureOf(add('late'))).toEqual(refused));
  expect(await failureOf(addInTransaction('later'))).toEqual(refused);
  await lookedAgain(refused);
  // Said once, with the path, to whoever reads the log.
  const said = errors.filter((error) => error instanceof StoreUnavailableError && error.reason === 'gone');
  expect(said).toHaveLength(1);
  expect(said[0]).toMatchObject({ file: expect.stringContaining(join(dataDir, 'parley.db')) });
  expect((said[0] as Error).message).not.toContain(dataDir);
});

test.each([
  ['to a few pages', 8192],
  ['in the middle of a page', 20_000],
  ['to nothing', 0],
])(
  'writes are refused from a moment after the database is cut %s, and the probe says why',
  async (_name, size) => {
    // In the main file, not only in the log.
    for (let index = 0; index < 50; index += 1) await add(`${index} `.repeat(2000));
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db());
    await store.ping();
    truncateSync(join(dataDir, 'parley.db'), size);
    const refused = unavailable('damaged');
    await lookedAgain(refused);
    expect(await failureOf(add('late'))).toEqual(refused);
    expect(await failureOf(addInTransaction('later'))).toEqual(refused);
    const isOfGuard = (error: unknown) =>
      error instanceof StoreUnavailableError && error.reason === 'damaged';
    const said = errors.filter(isOfGuard);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatchObject({ file: join(dataDir, 'parley.db') });
  },
);

test('a checkpoint that was cut off is no damage: what the file misses is in the log', async () => {
  for (let index = 0; index < 50; index += 1) await add(`${index} `.repeat(2000));
  const expected = await ids();
  const killed = join(scratch.options.dataDir, 'killed');
  cpSync(dataDir, killed, { recursive: true });
  await store.close();
  // The first page has the size of the whole, as after the checkpoint; the others are not written yet.
  const whole = readFileSync(join(dataDir, 'parley.db'));
  const started = readFileSync(join(killed, 'parley.db'));
  whole.copy(started, 0, 0, 4096);
  expect(started.length).toBeLessThan(whole.length);
  writeFileSync(join(killed, 'parley.db'), started);
  rmSync(join(killed, 'parley.db-shm'));
  dataDir = killed;
  store = await openAgain();
  const checked = vi.spyOn(Database.prototype, 'pragma');
  await eventually(async () => {
    await store.ping();
    expect(checked.mock.calls.map(([text]) => text)).toContain('quick_check(1)');
  }, 50);
  checked.mockRestore();
  await store.ping();
  await add('after');
  expect(await ids()).toEqual([...expected, 'after']);
  expect(errors).toEqual([]);
});

test('a folder that comes back as it was takes writes again, with nothing lost', async () => {
  renameSync(dataDir, `${dataDir}-elsewhere`);
  await eventually(async () => expect(await failureOf(add('late'))).toEqual(unavailable('gone')));
  const acknowledged = await ids();
  renameSync(`${dataDir}-elsewhere`, dataDir);
  await lookedAgain('no failure');
  await add('after');
  await store.close();
  store = await openAgain();
  expect(await ids()).toEqual([...acknowledged, 'after']);
});

test('a lost folder is not made again by a read, a record or a probe', async () => {
  await store.ping();
  rmSync(dataDir, { recursive: true });
  store.records.append(record('late'));
  await failureOf(store.records.flush());
  await failureOf(store.ping());
  await ids();
  expect(existsSync(dataDir)).toBe(false);
});

test('a database that takes no write fails the probe with its reason, and passes when it takes them again', async () => {
  await store.ping();
  await sql`pragma query_only = on`.execute(store.db());
  await lookedAgain(unavailable('readonly'));
  expect(await ids()).toEqual(['before']);
  await sql`pragma query_only = off`.execute(store.db());
  await lookedAgain('no failure');
});

test('many who ask at once share one probe, and what it found counts for a moment', async () => {
  const changes = () =>
    new Database(join(dataDir, 'parley.db'), { readonly: true })
      .prepare('select at from parley_probe')
      .pluck()
      .get();
  await Promise.all(Array.from({ length: 50 }, () => store.ping()));
  const first = changes();
  expect(first).toBeGreaterThan(0);
  await Promise.all(Array.from({ length: 50 }, () => store.ping()));
  expect(changes()).toBe(first);
});

test('a damaged database is refused with its path and what to do', async () => {
  for (const [from, length] of [
    [0, 100],
    [16, 4],
    [100, 4000],
  ] as const) {
    await store.close();
    await spoil('parley.db', from, length);
    const failure = await failureOf(openAgain());
    expect(failure, String(from)).toEqual(unavailable('damaged'));
    expect(failure).toMatchObject({ file: join(dataDir, 'parley.db') });
    expect(await damagedFiles(dataDir)).toEqual([join(dataDir, 'parley.db')]);
    rmSync(dataDir, { recursive: true });
    store = await openAgain();
  }
  expect(await damagedFiles(dataDir)).toEqual([]);
});

test.each([
  ['at its beginning', 0, 100],
  ['in the middle', 4096, 8192],
  ['wholly', 0, 12_288],
])(
  'records of a file that is damaged %s are put aside, and the next ones are kept',
  async (_name, from, length) => {
    for (let index = 0; index < 300; index += 1) store.records.append(record(`old ${index}`));
    await store.records.flush();
    await store.close();
    await spoil('records.db', from, length);
    expect(await damagedFiles(dataDir)).toEqual([join(dataDir, 'records.db')]);
    store = await openAgain();
    store.records.append(record('new'));
    await store.records.flush();
    await store.records.prune();
    expect((await recorded()).at(0)).toBe('new');
    store.records.append(record('newer'));
    await store.records.flush();
    expect((await recorded()).slice(0, 2)).toEqual(['newer', 'new']);
    expect(readdirSync(dataDir).filter((name) => /^records\.db\.corrupt-[\dTZ-]+$/.test(name))).toHaveLength(
      1,
    );
    expect(errors.map(String)).toEqual([expect.stringContaining('The file of the call records is damaged.')]);
    expect(await damagedFiles(dataDir)).toEqual([]);
  },
);

test('records are kept in a new file when the old one was deleted', async () => {
  store.records.append(record('lost'));
  await store.records.flush();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `records.db${suffix}`));
  store.records.append(record('kept'));
  await store.records.flush();
  await store.close();
  store = await openAgain();
  expect(await recorded()).toEqual(['kept']);
});

test('a look that is under way when the store closes takes nothing for lost', async () => {
  for (let round = 0; round < 20; round += 1) {
    // The look itself may find the store closed.
    const looking = store.ping().catch(() => undefined);
    await store.close();
    await looking;
    store = await openAgain();
  }
  expect(errors).toEqual([]);
});

test('a folder in the place of the database is said by its path', async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
  mkdirSync(join(dataDir, 'parley.db'), { recursive: true });
  writeFileSync(join(dataDir, 'parley.db/file'), '');
  expect(await failureOf(openStore({ dataDir }))).toMatchObject({ file: join(dataDir, 'parley.db') });
});

test('a folder that nothing can be written to is said at the start, with what to do', async () => {
  // Not even the superuser makes files there.
  const secretKey = Buffer.alloc(32, 1).toString('base64url');
  const failed = await failureOf(openStore({ dataDir: '/sys', secretKey }));
  expect(failed).toMatchObject({ name: 'StoreUnavailableError', reason: 'readonly', file: '/sys/parley.db' });
});
