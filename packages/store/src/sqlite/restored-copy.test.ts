/** Backups that are put back where a killed process left its log: the log is never replayed into them. */
import { copyFileSync, cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProgram } from '../../test/child-program.ts';
import { damagedFiles, openStore } from '../index.ts';
import type { Store } from '../index.ts';
import { scratchDatabase } from '../testing/index.ts';
import type { ScratchDatabase } from '../testing/index.ts';

interface Tables {
  notes: { id: string };
}

const program = join(import.meta.dirname, '../../test/restore-program.ts');
const errors: unknown[] = [];
const onError = (error: unknown): void => {
  errors.push(error);
};
let scratch: ScratchDatabase;
let dataDir: string;

beforeEach(async () => {
  errors.length = 0;
  scratch = await scratchDatabase('sqlite');
  dataDir = join(scratch.options.dataDir, 'data');
});
afterEach(() => scratch.remove());

/** Leaves the files of a process that was killed, with a backup of 200 rows copied over the main files. */
async function restoreAfterKill(): Promise<void> {
  const backup = join(scratch.options.dataDir, 'backup');
  const child = startProgram(program, { options: { dataDir }, backup });
  expect((await child.lines.next()).value).toBe('written');
  child.process.kill('SIGKILL');
  await child.exit;
  for (const name of ['parley.db', 'records.db']) {
    expect(existsSync(join(dataDir, `${name}-wal`)), name).toBe(true);
    copyFileSync(join(backup, name), join(dataDir, name));
  }
}

const ids = async (store: Store) =>
  (await store.db<Tables>().selectFrom('notes').select('id').execute()).map(({ id }) => id);
const expected = Array.from({ length: 200 }, (_, index) => `kept ${index}`);
const setAside = () =>
  readdirSync(dataDir)
    .filter((name) => name.includes('.stale-'))
    .map((name) => name.replace(/-[\dTZ-]+$/, ''))
    .toSorted();
const checked = (name: string) => {
  const database = new Database(join(dataDir, name));
  const found = [
    database.pragma('integrity_check', { simple: true }),
    database.pragma('application_id', { simple: true }),
  ];
  database.close();
  return found;
};

test('a backup put back after kill -9 has its own rows alone, and the old log is kept aside and said', async () => {
  await restoreAfterKill();
  const store = await openStore({ dataDir, onError });
  expect(await ids(store)).toEqual(expected);
  const records = await store.records.list({ organizationId: 'org_a', limit: 1000 });
  expect(records.map(({ tool }) => tool).toReversed()).toEqual(expected);
  await store.db<Tables>().insertInto('notes').values({ id: 'after' }).execute();
  await store.close();
  expect([checked('parley.db'), checked('records.db')]).toEqual([
    ['ok', 0],
    ['ok', 0],
  ]);
  expect(setAside()).toEqual([
    'parley.db-shm.stale',
    'parley.db-wal.stale',
    'records.db-shm.stale',
    'records.db-wal.stale',
  ]);
  expect(errors.map(String)).toEqual([
    expect.stringContaining('parley.db is a copy of a backup'),
    expect.stringContaining('records.db is a copy of a backup'),
  ]);
});

test('a look for damage does not replay the old log into a backup that was put back', async () => {
  await restoreAfterKill();
  expect(await damagedFiles(dataDir, onError)).toEqual([]);
  expect(errors).toHaveLength(2);
  const store = await openStore({ dataDir, onError });
  expect(await ids(store)).toEqual(expected);
  await store.close();
});

test('stores that open a backup at the same time put the old log aside once, and keep the new one', async () => {
  await restoreAfterKill();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ dataDir, onError })));
  for (const [index, store] of stores.entries())
    await store
      .db<Tables>()
      .insertInto('notes')
      .values({ id: `after ${index}` })
      .execute();
  for (const store of stores) expect(await ids(store)).toHaveLength(204);
  await Promise.all(stores.map((store) => store.close()));
  expect(errors).toHaveLength(1);
  expect(setAside()).toHaveLength(2);
});

test('the log of a backup in use is its own: rows written after the restore survive the next kill', async () => {
  await restoreAfterKill();
  const store = await openStore({ dataDir, onError });
  await store.db<Tables>().insertInto('notes').values({ id: 'after' }).execute();
  // What a killed process leaves: the files as they are while they are open.
  const copy = join(scratch.options.dataDir, 'killed');
  cpSync(dataDir, copy, { recursive: true });
  await store.close();
  errors.length = 0;
  const again = await openStore({ dataDir: copy, onError });
  expect(await ids(again)).toEqual([...expected, 'after']);
  await again.close();
  expect(errors).toEqual([]);
});

test('a store that closes does not let go of the locks of another one in the same process', async () => {
  const [first, second] = [await openStore({ dataDir, onError }), await openStore({ dataDir, onError })];
  await first.migrate([]);
  await second.close();
  // Whoever closes last takes the log away, and another process must not take itself for the last one.
  const child = startProgram(join(import.meta.dirname, '../../test/migrate-program.ts'), { dataDir });
  expect(await child.exit).toBe(0);
  expect(existsSync(join(dataDir, 'parley.db-wal'))).toBe(true);
  await first.ping();
  await first.close();
  expect(errors).toEqual([]);
});
