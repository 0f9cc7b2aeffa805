/** Who is there on PostgreSQL: a process that dies is missed, one that only lost its connection is not. */
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../index.ts';
import type { SignalEvent, Store } from '../index.ts';
import { scratchDatabase } from '../testing/index.ts';
import type { ScratchDatabase } from '../testing/index.ts';

const stores: Store[] = [];
let scratch: ScratchDatabase;
let watcher: Store;

beforeEach(async () => {
  scratch = await scratchDatabase('postgres');
  watcher = await open();
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await scratch.remove();
});

async function open(): Promise<Store> {
  const store = await openStore({ ...scratch.options, onError: () => undefined });
  stores.push(store);
  return store;
}

const cutLinks = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'parley-listen'`.execute(watcher.db());

/** Lets time pass for those who measure how long somebody is missed. */
function passing() {
  let addedMs = 0;
  const real = performance.now.bind(performance);
  const now = vi.spyOn(performance, 'now').mockImplementation(() => real() + addedMs);
  onTestFinished(() => now.mockRestore());
  return (ms: number) => {
    addedMs += ms;
  };
}

test('somebody who leaves, or whose process ends, is gone after a grace and not before', async () => {
  const pass = passing();
  const worker = await open();
  await worker.presence.hold('left');
  await worker.presence.hold('ended');
  const ids = ['left', 'ended'];
  pass(7_000);
  expect(await watcher.presence.gone(ids)).toEqual([]);
  await worker.presence.leave('left');
  expect(await watcher.presence.gone(ids)).toEqual([]);
  pass(3_000);
  expect(await watcher.presence.gone(ids)).toEqual([]);
  pass(3_000);
  expect(await watcher.presence.gone(ids)).toEqual(['left']);
  await stores.pop()?.close();
  await eventually(async () => {
    pass(1_000);
    expect(await watcher.presence.gone(ids)).toEqual(ids);
  });
});

test('a connection that was lost and is there again is no death', async () => {
  const pass = passing();
  const worker = await open();
  await worker.presence.hold('worker');
  await cutLinks();
  await eventually(() => expect(worker.signal.isBroken()).toBe(true), 1);
  // Nobody can tell while their own connection is away, nor right after.
  expect(await watcher.presence.gone(['worker', 'nobody'])).toEqual([]);
  await eventually(() => expect([worker, watcher].some(({ signal }) => signal.isBroken())).toBe(false));
  expect(await watcher.presence.gone(['worker', 'nobody'])).toEqual([]);
  pass(7_000);
  await watcher.presence.gone(['worker', 'nobody']);
  pass(7_000);
  expect(await watcher.presence.gone(['worker', 'nobody'])).toEqual(['nobody']);
});

test('when a process dies others read everything again, since it may not have told what it changed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const listener = await open();
  const seen: SignalEvent[] = [];
  listener.signal.subscribe('notes/', (event) => seen.push(event));
  const before = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'parley-listen'`.execute(watcher.db());
  const dying = await open();
  await vi.advanceTimersByTimeAsync(5_000);
  const links = () =>
    sql`select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'parley-listen'`.execute(watcher.db());
  // One that ends in good order has told everything.
  const leaving = await open();
  await vi.advanceTimersByTimeAsync(5_000);
  await stores.pop()?.close();
  await eventually(async () => expect((await links()).rows).toHaveLength(3));
  await vi.advanceTimersByTimeAsync(5_000);
  await listener.signal.publish('notes/1');
  await eventually(() => expect(seen).toEqual([{ topic: 'notes/1', payload: null }]));
  expect(leaving).not.toBe(dying);
  // As `kill -9` does it: the connection ends without a word.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and application_name = 'parley-listen' and not pid = any(${before.rows.map(({ pid }) => pid)})`.execute(
    watcher.db(),
  );
  await eventually(async () => {
    await vi.advanceTimersByTimeAsync(5_000);
    expect(seen.at(-1)).toEqual({ topic: '*', payload: null });
  });
});
