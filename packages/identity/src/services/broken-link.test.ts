/** Keys while signals of other processes do not arrive: what was remembered does not count, and many keys fit in memory. */
import { scratchDatabase } from '@parley/store/testing';
import type { ScratchDatabase } from '@parley/store/testing';
import { openStore } from '@parley/store';
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Place } from '../../test/people.ts';
import { found, join, keyFor, settle } from '../../test/people.ts';
import { RecentMap } from './recent-map.ts';

const ROLE = `narrow_${process.pid}_${Date.now()}`;
let database: ScratchDatabase;
let admin: Place;
let replica: Place;
const stores: Store[] = [];

async function place(url = database.options.databaseUrl ?? ''): Promise<Place> {
  const store = await openStore({ ...database.options, databaseUrl: url });
  stores.push(store);
  return settle(store);
}

beforeEach(async () => {
  database = await scratchDatabase('postgres');
  admin = await place();
  await run(sql`create role ${sql.id(ROLE)} login`);
  await run(sql`grant all on all tables in schema public to ${sql.id(ROLE)}`);
  const url = new URL(database.options.databaseUrl ?? '');
  url.username = ROLE;
  replica = await place(url.href);
});

afterEach(async () => {
  await Promise.all(stores.splice(1).map((store) => store.close()));
  await run(sql`drop owned by ${sql.id(ROLE)}`);
  await run(sql`drop role ${sql.id(ROLE)}`);
  await stores.splice(0)[0]?.close();
  await database.remove();
});

const run = (statement: ReturnType<typeof sql>) => statement.execute(admin.store.db());

/** Ends the connection that listens, and lets the role open no other; what it has open goes on. */
async function cutTheLink(): Promise<void> {
  await run(sql`alter role ${sql.id(ROLE)} connection limit 0`);
  await run(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where usename = ${ROLE} and application_name = 'parley-listen'`);
  await eventually(() => expect(replica.store.signal.isBroken()).toBe(true));
}

test('a key revoked elsewhere is refused while the change link is down, and so is a lost role', async () => {
  const owner = await found(admin.identity);
  await keyFor(admin.identity, owner);
  const revoked = await keyFor(admin.identity, owner);
  const demoted = await join(admin.identity, owner, ['admin']);
  const kept = await keyFor(admin.identity, owner);
  const before = await replica.identity.authenticate(revoked.text, 'key');
  const lowered = await replica.identity.authenticate(demoted.key.text, 'key');
  expect([before, lowered]).not.toContain(undefined);
  expect(await replica.identity.current(before!)).toEqual(before);
  await cutTheLink();
  await admin.identity.revokeKey(owner, revoked.info.id);
  await admin.identity.setRoles(owner, { userId: demoted.userId, roles: ['member'] });
  expect(replica.store.signal.isBroken()).toBe(true);
  expect(await replica.identity.authenticate(revoked.text, 'key')).toBeUndefined();
  expect(await replica.identity.current(before!)).toBeUndefined();
  expect(await replica.identity.authenticate(demoted.key.text, 'key')).toMatchObject({ roles: ['member'] });
  expect(await replica.identity.authenticate(kept.text, 'key')).toMatchObject({ id: kept.info.id });
  // Once the link is back, what was read before it broke stays forgotten.
  await run(sql`alter role ${sql.id(ROLE)} connection limit -1`);
  await eventually(() => expect(replica.store.signal.isBroken()).toBe(false));
  expect(await replica.identity.authenticate(revoked.text, 'key')).toBeUndefined();
  const known = await replica.identity.authenticate(kept.text, 'key');
  expect(replica.identity.authenticate(kept.text, 'key')).toBe(known);
});

test('one key more than fit in memory does not make all others be read again', () => {
  const recent = new RecentMap<number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) recent.set(key, index);
  expect(recent.get('a')).toBe(0);
  recent.set('d', 3);
  expect(['a', 'b', 'c', 'd'].filter((key) => recent.has(key))).toEqual(['a', 'c', 'd']);
  recent.set('c', 7);
  recent.set('e', 4);
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => recent.has(key))).toEqual(['c', 'd', 'e']);
});

test('entries that are large leave earlier than many small ones', () => {
  const recent = new RecentMap<string>(100, { mostBytes: 10, bytesOf: (text) => text.length });
  recent.set('a', '1234');
  recent.set('b', '1234');
  expect(recent.get('a')).toBe('1234');
  recent.set('c', '1234');
  expect(['a', 'b', 'c'].map((key) => recent.has(key))).toEqual([true, false, true]);
  recent.set('a', '1');
  recent.set('d', '12345');
  expect(['a', 'c', 'd'].map((key) => recent.has(key))).toEqual([true, true, true]);
  recent.set('e', 'far too large for this');
  expect(['a', 'c', 'd', 'e'].map((key) => recent.has(key))).toEqual([false, false, false, false]);
});
