/** What only PostgreSQL needs: lost connections, reconnecting, an address that does not answer, backups. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { callRecord } from '../../test/call-record.ts';
import { BackupError, isDatabaseError, openStore, StatementError, StoreUnavailableError } from '../index.ts';
import type { SignalEvent, Store } from '../index.ts';
import { scratchDatabase } from '../testing/index.ts';
import type { ScratchDatabase } from '../testing/index.ts';
import { toConnectError } from './errors.ts';

const errors: unknown[] = [];
let scratch: ScratchDatabase;
let store: Store;

beforeEach(async () => {
  errors.length = 0;
  scratch = await scratchDatabase('postgres');
  store = await openStore({ ...scratch.options, onError: (error) => errors.push(error) });
  await store.migrate([]);
});

afterEach(async () => {
  await store.close();
  await scratch.remove();
});

const cutOthers = (by: Store) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(by.db());

test('a lost listener comes back, tells everybody to read again, and hears new signals', async () => {
  const other = await openStore(scratch.options);
  const seen: SignalEvent[] = [];
  store.signal.subscribe('notes/', (event) => seen.push(event));
  expect(store.signal.isBroken()).toBe(false);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'parley-listen'`.execute(other.db());
  await eventually(() => expect(store.signal.isBroken()).toBe(true), 1);
  await eventually(() => expect(seen).toEqual([{ topic: '*', payload: null }]));
  expect(store.signal.isBroken()).toBe(false);
  await other.signal.publish('notes/1');
  await eventually(() => expect(seen.at(-1)).toEqual({ topic: 'notes/1', payload: null }));
  expect(errors.length).toBeGreaterThan(0);
  await other.close();
});

test('a connection lost in a transaction is a typed error with a fixed text, and the next one works', async () => {
  const other = await openStore(scratch.options);
  const failed = await store
    .transaction(async (tx) => {
      await sql`select 1`.execute(tx.db());
      await cutOthers(other);
      await sql`select 2`.execute(tx.db());
    })
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreUnavailableError);
  expect(failed).toMatchObject({ reason: 'lost', message: new StoreUnavailableError('lost').message });
  await store.ping();
  await other.close();
});

test('a transaction that swallowed a failed statement is not reported as committed', async () => {
  const swallowing = store.transaction(async (tx) => {
    // Swallowed, which is what the test is about.
    await sql`select no_such_column`.execute(tx.db()).catch(() => undefined);
  });
  await expect(swallowing).rejects.toThrow('The transaction was rolled back');
});

test('an address that does not answer is refused without showing it', async () => {
  for (const databaseUrl of [
    'postgres://user:hunter2@127.0.0.1:1/parley',
    (scratch.options.databaseUrl ?? '').replace(/\/\w+$/, '/no_such_database'),
  ]) {
    const failed = await openStore({ ...scratch.options, databaseUrl }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StoreUnavailableError);
    expect(String(failed)).toBe(String(new StoreUnavailableError('lost')));
  }
});

test('a database behind a socket that is gone is lost, not a fault of who asks, and served again when it is back', async () => {
  const { hostname, port, pathname, username } = new URL(scratch.options.databaseUrl ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'parley-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = new Set<Socket>();
  const listen = async () => {
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const line of [near, far]) lines.add(line.on('error', () => undefined));
      near.pipe(far).pipe(near);
    });
    server.listen(join(folder, '.s.PGSQL.5432'));
    await once(server, 'listening');
    return server;
  };
  // Closing it takes its file away.
  const goAway = (server: Server) => {
    server.close();
    for (const line of lines) line.destroy();
  };
  let server = await listen();
  const databaseUrl = `postgres://${username}@/${pathname.slice(1)}?host=${folder}`;
  const behind = await openStore({ ...scratch.options, databaseUrl, onError: () => undefined });
  const ask = () => sql`select 1`.execute(behind.db());
  await ask();
  goAway(server);
  await eventually(async () => {
    const failed = await ask().catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'StoreUnavailableError', cause: { code: 'ENOENT' } });
    expect(failed).toMatchObject({ reason: 'lost' });
  });
  server = await listen();
  await ask();
  await behind.close();
  goAway(server);
});

test.each(['ENOENT', 'EACCES', 'EAGAIN', 'EADDRNOTAVAIL', 'EMFILE', 'ECONNABORTED', '42501', '55000', ''])(
  'a connection that cannot be made for %s is lost',
  (code) => {
    const error = Object.assign(new Error('timeout expired'), { code });
    expect(toConnectError(error)).toMatchObject({
      name: 'StoreUnavailableError',
      reason: 'lost',
      cause: error,
    });
  },
);

test('a connection that cannot be made says what else is known of it', () => {
  const full = Object.assign(new Error('too many clients'), { code: '53300' });
  expect(toConnectError(full)).toMatchObject({ reason: 'busy' });
});

test('a database that turns read-only is said, and one that turns writable again is used at once', async () => {
  const admin = await openStore(scratch.options);
  const turn = async (state: 'on' | 'off') => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(admin.db());
    await sql`alter database ${sql.id(rows[0]!.name)} set default_transaction_read_only = ${sql.raw(state)}`.execute(
      admin.db(),
    );
  };
  const probe = () =>
    store.ping().then(
      () => 'ready',
      (error: unknown) => (error instanceof StoreUnavailableError ? error.reason : error),
    );
  expect(await probe()).toBe('ready');
  await turn('on');
  await cutOthers(admin);
  await eventually(async () => expect(await probe()).toBe('readonly'));
  const refused = await store
    .transaction((tx) =>
      tx.db<{ parley_probe: { at: number } }>().updateTable('parley_probe').set({ at: 1 }).execute(),
    )
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({
    name: 'StoreUnavailableError',
    message: new StoreUnavailableError('readonly').message,
  });
  await sql`set session characteristics as transaction read write`.execute(admin.db());
  await turn('off');
  await eventually(async () => expect(await probe()).toBe('ready'));
  await admin.close();
});

test('two transactions that block each other end with a typed error, not a hang', async () => {
  const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const lock = (first: 0 | 1) =>
    store.transaction(async (tx) => {
      await sql`select pg_advisory_xact_lock(${first})`.execute(tx.db());
      locked[first].resolve();
      await locked[first === 0 ? 1 : 0].promise;
      await sql`select pg_advisory_xact_lock(${1 - first})`.execute(tx.db());
    });
  const results = await Promise.allSettled([lock(0), lock(1)]);
  const failures = results
    .filter((result) => result.status === 'rejected')
    .map(({ reason }) => reason as unknown);
  expect(failures).toEqual([expect.objectContaining({ name: 'StoreUnavailableError', reason: 'busy' })]);
});

test('records that the database refuses for good are dropped, counted and reported, and the next ones arrive', async () => {
  const record = callRecord();
  await sql`alter table parley_calls rename to away`.execute(store.db());
  store.records.append(record);
  await store.records.flush();
  expect([store.records.dropped, store.records.pending, errors.length]).toEqual([1, 0, 1]);
  await sql`alter table away rename to parley_calls`.execute(store.db());
  store.records.append(record);
  await store.records.flush();
  expect(await store.records.count()).toBe(1);
});

test('a statement that took too long, and one that was wrong, are told apart', async () => {
  const databaseUrl = `${scratch.options.databaseUrl}?statement_timeout=50`;
  const hasty = await openStore({ ...scratch.options, databaseUrl, onError: () => undefined });
  const slow = await sql`select pg_sleep(5)`.execute(hasty.db()).catch((error: unknown) => error);
  expect(slow).toMatchObject({ name: 'StoreUnavailableError', reason: 'busy' });
  await sql`select 1`.execute(hasty.db());
  await hasty.close();
  const wrong = await sql`select no_such_column`.execute(store.db()).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(StatementError);
  expect(wrong).toMatchObject({
    code: '42703',
    cause: expect.objectContaining({ severity: 'ERROR' }) as unknown,
  });
  expect([slow, wrong, new Error('a bug')].map(isDatabaseError)).toEqual([true, true, false]);
});

test('every connection gives up on locks, on transactions that stand still, and on a peer that is gone', async () => {
  const settings = sql<{ name: string; setting: string }>`select name, setting from pg_settings where name in
    ('lock_timeout', 'idle_in_transaction_session_timeout', 'tcp_user_timeout') order by name`;
  const limits = (lane: 'general' | 'ending' | 'tidying') =>
    store.transaction((tx) => settings.execute(tx.db()), { lane });
  const wanted = [
    { name: 'idle_in_transaction_session_timeout', setting: '10000' },
    { name: 'lock_timeout', setting: '20000' },
    { name: 'tcp_user_timeout', setting: '10000' },
  ];
  expect((await limits('general')).rows).toEqual(wanted);
  expect((await limits('ending')).rows).toEqual(wanted);
  // The lane of the call records.
  expect((await limits('tidying')).rows).toEqual(wanted);
  let migrating: unknown;
  const look = async (db: Parameters<typeof settings.execute>[0]) => {
    migrating = (await settings.execute(db)).rows;
  };
  await store.migrate([{ name: 'looks', migrations: { '001-look': look } }]);
  // A migration waits for the locks that it needs, and may take its time between two statements.
  expect(migrating).toEqual([
    { name: 'idle_in_transaction_session_timeout', setting: expect.stringMatching(/^[1-9]\d{4,}$/) },
    { name: 'lock_timeout', setting: '0' },
    { name: 'tcp_user_timeout', setting: '10000' },
  ]);
});

test('records are written while old ones cannot be deleted', async () => {
  const recordRetention = { maxAgeMs: 1e12, maxRows: 1 };
  const writer = await openStore({ ...scratch.options, recordRetention, onError: () => undefined });
  const calls = store.db<{ parley_calls: { id: number } }>();
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  store.records.append(callRecord());
  await store.records.flush();
  const holding = store.transaction(async (tx) => {
    await tx.hold(tx.db<{ parley_calls: { id: number } }>().selectFrom('parley_calls').select('id'));
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const isPruning = async () =>
    expect(
      (
        await sql`select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%delete from parley_calls%'`.execute(store.db())
      ).rows,
    ).toHaveLength(1);
  const ids = async () => (await calls.selectFrom('parley_calls').select('id').execute()).length;
  writer.records.append(callRecord());
  await eventually(isPruning);
  for (let turn = 3; turn <= 5; turn += 1) {
    writer.records.append(callRecord());
    await eventually(async () => expect(await ids()).toBe(turn));
  }
  await isPruning();
  expect(writer.records.dropped).toBe(0);
  released.resolve();
  await holding;
  await writer.records.prune();
  expect(await ids()).toBe(1);
  await writer.close();
});

test('a backup points to pg_dump', async () => {
  await expect(store.backup('/tmp/never')).rejects.toThrow(BackupError);
  await expect(store.backup('/tmp/never')).rejects.toThrow('pg_dump');
});

test('a key that another transaction holds is refused at once, and shared by those who share it', async () => {
  const found = await store.transaction(async (tx) => {
    await tx.exclusive('sweep');
    return store.transaction(async (other) => [
      await other.tryExclusive('sweep'),
      await other.tryExclusive('something else'),
    ]);
  });
  expect(found).toEqual([false, true]);
  const shared = await store.transaction(async (tx) => {
    await tx.shared('families');
    return store.transaction(async (other) => {
      await other.shared('families');
      return store.transaction((third) => third.tryExclusive('families'));
    });
  });
  expect(shared).toBe(false);
});

test('rows that another transaction holds are left out when that is asked', async () => {
  const probe = (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) =>
    // The store itself adds rows of others to the table, the mark of its clock for one.
    tx.db<{ parley_probe: { id: number } }>().selectFrom('parley_probe').select('id').where('id', '=', 1);
  const found = await store.transaction(async (tx) => {
    await tx.hold(probe(tx));
    return store.transaction((other) => other.locked(probe(other), { skipHeld: true }).execute());
  });
  expect(found).toEqual([]);
});

test('a transaction that lets go early is on disk all the same when it has ended', async () => {
  const databaseUrl = `${scratch.options.databaseUrl}?options=-c%20synchronous_commit%3Don`;
  const strict = await openStore({ ...scratch.options, databaseUrl });
  await sql`create table notes (id integer)`.execute(strict.db());
  interface Written {
    readonly mode: string;
    readonly place: string;
  }
  const write = async (isEarly: boolean): Promise<Written> => {
    let written: Written | undefined;
    await strict.transaction(async (tx) => {
      if (isEarly) tx.letGoEarly();
      tx.last(sql`insert into notes values (1)`);
      tx.last(
        sql<Written>`select current_setting('synchronous_commit') as mode, pg_current_wal_insert_lsn()::text as place`,
        ([row]) => {
          written = row;
          return undefined;
        },
      );
    });
    if (written === undefined) throw new Error('The last statement told no row.');
    return written;
  };
  expect(await write(false)).toMatchObject({ mode: 'on' });
  // A writer in the background would be late for most of so many.
  for (let round = 0; round < 20; round += 1) {
    const { mode, place } = await write(true);
    const { rows } = await sql<{ is_flushed: boolean }>`
      select pg_current_wal_flush_lsn() >= ${place}::pg_lsn as is_flushed`.execute(strict.db());
    expect([mode, rows[0]?.is_flushed]).toEqual(['off', true]);
  }
  // It was for that transaction alone.
  expect(await write(false)).toMatchObject({ mode: 'on' });
  await strict.close();
});

test('a process that is frozen inside a transaction holds others up for a while only, and they are told that it is busy', async () => {
  await sql`create table notes (id integer primary key, text text)`.execute(store.db());
  await sql`insert into notes values (1, 'old')`.execute(store.db());
  const databaseUrl = `${scratch.options.databaseUrl}?idle_in_transaction_session_timeout=1500`;
  const frozen = await openStore({ ...scratch.options, databaseUrl, onError: () => undefined });
  const holds = Promise.withResolvers<void>();
  const thaws = Promise.withResolvers<void>();
  const froze = frozen.transaction(async (tx) => {
    await sql`update notes set text = 'frozen' where id = 1`.execute(tx.db());
    holds.resolve();
    await thaws.promise;
    await sql`update notes set text = 'thawed' where id = 1`.execute(tx.db());
  });
  await holds.promise;
  const write = () => sql`update notes set text = 'new' where id = 1`.execute(store.db());
  const waiting = Promise.all(Array.from({ length: 10 }, write));
  // The pool is full of those who wait; whoever comes now is not told that the database is away.
  await expect(write()).resolves.toBeDefined();
  await waiting;
  thaws.resolve();
  await expect(froze).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  const { rows } = await sql<{ text: string }>`select text from notes`.execute(store.db());
  expect(rows).toEqual([{ text: 'new' }]);
  await frozen.ping();
  await frozen.close();
});

test('with every connection in use the database is busy, not away', async () => {
  const other = await openStore(scratch.options);
  const done = Promise.withResolvers<void>();
  const inUse = Array.from({ length: 10 }, () =>
    store.transaction(async (tx) => {
      await sql`select 1`.execute(tx.db());
      await done.promise;
    }),
  );
  await eventually(async () => {
    const { rows } = await sql<{ open: number }>`select count(*) as open from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`.execute(other.db());
    expect(rows).toEqual([{ open: 10 }]);
  });
  await expect(sql`select 1`.execute(store.db())).rejects.toMatchObject({ reason: 'busy' });
  done.resolve();
  await Promise.all(inUse);
  await other.close();
});

test('what ends work does not wait for those who begin it', async () => {
  const done = Promise.withResolvers<void>();
  const started: Array<Promise<void>> = [];
  const inUse = Array.from({ length: 10 }, () => {
    const begun = Promise.withResolvers<void>();
    started.push(begun.promise);
    return store.transaction(async (tx) => {
      await sql`select 1`.execute(tx.db());
      begun.resolve();
      await done.promise;
    });
  });
  await Promise.all(started);
  const ended = await store.transaction((tx) => sql`select 1 as one`.execute(tx.db()), { lane: 'ending' });
  expect(ended.rows).toEqual([{ one: 1 }]);
  done.resolve();
  await Promise.all(inUse);
});

test('time is that of the database, whatever the clock of the process says', async () => {
  const databaseNow = async () => {
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(store.db());
    return rows[0]?.ms ?? 0;
  };
  const real = Date.now.bind(Date);
  const wall = vi.spyOn(Date, 'now').mockImplementation(() => real() + 25_000);
  onTestFinished(() => wall.mockRestore());
  const ahead = await openStore(scratch.options);
  const [before, told, after] = [await databaseNow(), ahead.now(), await databaseNow()];
  expect(told).toBeGreaterThan(before - 1_000);
  expect(told).toBeLessThan(after + 1_000);
  await ahead.close();
});

test.each([
  ['a pause of the process', performance],
  ['a sleep of the machine', Date],
])('after %s nothing counts until what others did is heard', async (_what, clock) => {
  const other = await openStore(scratch.options);
  const heard: boolean[] = [];
  store.signal.subscribe('notes/', () => heard.push(store.signal.isBroken()));
  expect(store.signal.isBroken()).toBe(false);
  await other.signal.publish('notes/1');
  const real = clock.now.bind(clock);
  const now = vi.spyOn(clock, 'now').mockImplementation(() => real() + 3_000);
  onTestFinished(() => now.mockRestore());
  // As a request would find it that comes first.
  expect(store.signal.isBroken()).toBe(true);
  await eventually(() => expect(heard).toHaveLength(1));
  await eventually(() => expect(store.signal.isBroken()).toBe(false));
  await other.close();
});
