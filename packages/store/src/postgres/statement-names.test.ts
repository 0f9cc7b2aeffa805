/** Which statements get a name, and what becomes of it when the tables change or a pooler is in between. */
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../index.ts';
import type { Queryable, Store, StoreOptions } from '../index.ts';
import { scratchDatabase } from '../testing/index.ts';
import type { ScratchDatabase } from '../testing/index.ts';
import { StatementNames } from './statement-names.ts';

const errors: unknown[] = [];
const stores: Store[] = [];
let scratch: ScratchDatabase;

beforeEach(async () => {
  errors.length = 0;
  scratch = await scratchDatabase('postgres');
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await scratch.remove();
});

async function open(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ ...scratch.options, onError: (error) => errors.push(error), ...options });
  stores.push(store);
  return store;
}

const prepared = async (on: Queryable) =>
  (await sql<{ name: string }>`select name from pg_prepared_statements`.execute(on.db())).rows;
const ask = (on: Queryable, text = 'select * from notes where id = $1') =>
  on.db().executeQuery(CompiledQuery.raw(text, [1]));

test('a name comes with the third use, is the same for the same text, and there are so many at most', () => {
  const names = new StatementNames({ isOff: false });
  const uses = (text: string) => [1, 2, 3, 4].map(() => names.nameOf(text));
  const [first, second, third, fourth] = uses('select 1');
  expect([first, second]).toEqual([undefined, undefined]);
  expect(third).toMatch(/^parley_0_[0-9a-f]{16}$/);
  expect(fourth).toBe(third);
  for (let index = 0; index < 400; index += 1) uses(`select ${index + 2}`);
  expect(names.nameOf('select 2')).toBeDefined();
  expect(uses('select one_more')).toEqual([undefined, undefined, undefined, undefined]);
  names.renew();
  expect(uses('select 1')[3]).toMatch(/^parley_1_/);
  expect([names.turnOff(), names.turnOff(), uses('select 1')[3]]).toEqual([true, false, undefined]);
});

test('a statement that is used again is prepared on its connection, one that is not is not', async () => {
  const store = await open();
  await sql`create table notes (id integer primary key, text text)`.execute(store.db());
  const names = await store.transaction(async (tx) => {
    for (let turn = 0; turn < 5; turn += 1) await ask(tx);
    await ask(tx, 'select text from notes where id = $1');
    return prepared(tx);
  });
  expect(names).toEqual([{ name: expect.stringMatching(/^parley_/) as string }]);
});

test('after a change of the tables a statement with a name goes on', async () => {
  const store = await open();
  await sql`create table notes (id integer primary key)`.execute(store.db());
  for (let turn = 0; turn < 5; turn += 1) await ask(store);
  await sql`insert into notes values (1)`.execute(store.db());
  await sql`alter table notes add column text text default 'new'`.execute(store.db());
  expect((await ask(store)).rows).toEqual([{ id: 1, text: 'new' }]);
  for (let turn = 0; turn < 5; turn += 1) await ask(store);
  await sql`alter table notes drop column text`.execute(store.db());
  // What the transaction did before is lost, so whoever began it begins it again.
  const within = store.transaction(async (tx) => {
    await sql`insert into notes values (2)`.execute(tx.db());
    return ask(tx);
  });
  await expect(within).rejects.toMatchObject({ name: 'StoreUnavailableError', reason: 'busy' });
  expect((await ask(store)).rows).toEqual([{ id: 1 }]);
  expect(errors).toEqual([]);
});

test('a connection that lost its statements, as behind a pooler, goes on without and says why once', async () => {
  const store = await open();
  await sql`create table notes (id integer primary key)`.execute(store.db());
  for (let turn = 0; turn < 5; turn += 1) await ask(store);
  for (let turn = 0; turn < 3; turn += 1) {
    await sql`deallocate all`.execute(store.db());
    expect((await ask(store)).rows).toEqual([]);
  }
  expect(errors.map(String)).toEqual([expect.stringContaining('Set PARLEY_PREPARED_STATEMENTS=off')]);
  expect(await prepared(store)).toEqual([]);
});

test('where they are turned off nothing is left on a connection, and the address of the server itself is listened at', async () => {
  const store = await open({ preparedStatements: false, directUrl: scratch.options.databaseUrl ?? '' });
  await sql`create table notes (id integer primary key)`.execute(store.db());
  for (let turn = 0; turn < 5; turn += 1) await ask(store);
  expect(await prepared(store)).toEqual([]);
  const settings = await sql<{ lock: string; peer: string }>`
    select current_setting('lock_timeout') as lock, current_setting('tcp_user_timeout') as peer`.execute(
    store.db(),
  );
  expect(settings.rows).toEqual([{ lock: '0', peer: '0' }]);
  const heard = store.signal.wait('notes', { timeoutMs: 5_000 });
  const other = await open();
  await other.signal.publish('notes', '1');
  expect(await heard).toEqual({ topic: 'notes', payload: '1' });
});
