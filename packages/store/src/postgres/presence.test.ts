/** Who is there on PostgreSQL: a process that dies is missed, one that only lost its connection is not. */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
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

/** Looks every second for so long, as a worker does; the last answer. */
async function lookFor(ms: number, pass: (ms: number) => void, ids: readonly string[]): Promise<string[]> {
  let gone = await watcher.presence.gone(ids);
  for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
    pass(1_000);
    gone = await watcher.presence.gone(ids);
  }
  return gone;
}

const heldLocks = () =>
  sql<{ count: number }>`select count(*) as count from pg_locks where locktype = 'advisory' and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`
    .execute(watcher.db())
    .then(({ rows }) => rows[0]?.count);

test('somebody who leaves, or whose process ends, is gone after a grace and not before', async () => {
  const pass = passing();
  const worker = await open();
  await worker.presence.hold('left');
  await worker.presence.hold('ended');
  const ids = ['left', 'ended'];
  pass(9_000);
  expect(await watcher.presence.gone(ids)).toEqual([]);
  await worker.presence.leave('left');
  expect(await lookFor(7_000, pass, ids)).toEqual([]);
  expect(await lookFor(1_000, pass, ids)).toEqual(['left']);
  await stores.pop()?.close();
  await eventually(async () => {
    pass(1_000);
    expect(await watcher.presence.gone(ids)).toEqual(ids);
  });
});

test('nobody is missed for a time in which nobody looked', async () => {
  const pass = passing();
  pass(9_000);
  expect(await lookFor(7_000, pass, ['nobody'])).toEqual([]);
  // As when the process that looks stood still: who is missing now may have been there until just before.
  pass(60_000);
  expect(await lookFor(7_000, pass, ['nobody'])).toEqual([]);
  expect(await lookFor(1_000, pass, ['nobody'])).toEqual(['nobody']);
});

test('a connection that was lost and is there again is no death', async () => {
  const pass = passing();
  const worker = await open();
  await worker.presence.hold('worker');
  expect(worker.presence.missedMs()).toBe(0);
  await cutLinks();
  await eventually(() => expect(worker.signal.isBroken()).toBe(true), 1);
  // Nobody can tell while their own connection is away, nor right after.
  expect(await watcher.presence.gone(['worker', 'nobody'])).toEqual([]);
  await eventually(() => expect([worker, watcher].some(({ signal }) => signal.isBroken())).toBe(false));
  expect(worker.presence.missedMs()).toBe(0);
  expect(await watcher.presence.gone(['worker', 'nobody'])).toEqual([]);
  pass(9_000);
  expect(await lookFor(9_000, pass, ['worker', 'nobody'])).toEqual(['nobody']);
});

/** A way to the database that a test can cut: connections end as soon as they are made, or are refused. */
async function wayToDatabase() {
  const { hostname, port } = new URL(scratch.options.databaseUrl ?? '');
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const database = connect({ host: hostname, port: Number(port) });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port: own } = server.address() as AddressInfo; // it listens on a port
  const drop = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const close = () => {
    server.close();
    drop();
  };
  onTestFinished(close);
  const url = new URL(scratch.options.databaseUrl ?? '');
  url.hostname = '127.0.0.1';
  url.port = String(own);
  return {
    url: url.href,
    cut() {
      isCut = true;
      drop();
    },
    refuse: close,
    async mend() {
      isCut = false;
      if (!server.listening) await listen(own);
    },
  };
}

test('a process that is cut off counts how long it may be missed; while the database is away for all, nobody is', async () => {
  const pass = passing();
  const way = await wayToDatabase();
  const failures: unknown[] = [];
  const worker = await openStore({
    ...scratch.options,
    databaseUrl: way.url,
    onError: (error) => failures.push(error),
  });
  stores.push(worker);
  await worker.presence.hold('worker');
  const failsAgain = async () => {
    const { length } = failures;
    await eventually(() => expect(failures.length).toBeGreaterThan(length + 1));
  };
  way.cut();
  await failsAgain();
  pass(5_000);
  await failsAgain();
  expect(worker.presence.missedMs()).toBeGreaterThanOrEqual(5_000);
  way.refuse();
  await failsAgain();
  expect(worker.presence.missedMs()).toBeLessThan(5_000);
  pass(5_000);
  await failsAgain();
  expect(worker.presence.missedMs()).toBeLessThan(5_000);
  await way.mend();
  await eventually(() => expect(worker.presence.missedMs()).toBe(0));
  pass(9_000);
  expect(await lookFor(9_000, pass, ['worker', 'nobody'])).toEqual(['nobody']);
});

test('behind a pooler nobody holds a lock, and nobody is gone', async () => {
  const pass = passing();
  const before = await heldLocks();
  const pooled = await openStore({ ...scratch.options, preparedStatements: false, onError: () => undefined });
  stores.push(pooled);
  await pooled.presence.hold('worker');
  expect({ isKept: pooled.presence.isKept, locks: await heldLocks() }).toEqual({
    isKept: false,
    locks: before,
  });
  await pooled.presence.gone(['nobody']);
  for (let look = 0; look < 20; look += 1) {
    pass(1_000);
    expect(await pooled.presence.gone(['nobody'])).toEqual([]);
  }
  // With an address of PostgreSQL itself, the connection that listens is a session of its own.
  const direct = await openStore({
    ...scratch.options,
    preparedStatements: false,
    directUrl: `${scratch.options.databaseUrl}?application_name=parley`,
    onError: () => undefined,
  });
  stores.push(direct);
  expect(direct.presence.isKept).toBe(true);
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
