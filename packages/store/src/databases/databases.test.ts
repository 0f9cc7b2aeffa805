/** Databases of connections: what SQL of a caller can do to its own, and that it reaches nothing else. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, runner } from '../../test/sql-runner.ts';
import type { ScratchDatabase } from '../testing/index.ts';
import { scratchDatabase } from '../testing/index.ts';
import type { AnyTables } from '../engine.ts';
import { openStore } from '../open-store.ts';
import type { Store, StoreEngine } from '../store.ts';
import type { SqlValue } from './databases.ts';
import { SqlFault } from './databases.ts';

interface Row {
  readonly sql: string;
  readonly params?: SqlValue[];
  /** The rows, or the code of the error. */
  readonly gives: unknown;
  /** Runs on this engine only. */
  readonly on?: StoreEngine;
}

const ENDLESS = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

const PARAMETERS: Row[] = [
  { sql: `select '$1' as a, $1 as b`, params: ['x'], gives: [{ a: '$1', b: 'x' }] },
  { sql: `select '?' as a, ? as b -- ?`, params: ['x'], gives: [{ a: '?', b: 'x' }] },
  { sql: `select /* $2 ? */ $1 as "a$2?"`, params: ['x'], gives: [{ 'a$2?': 'x' }] },
  { sql: `select $1 as a, $1 as b`, params: ['x'], gives: [{ a: 'x', b: 'x' }] },
  { sql: `select $2 as a, $1 as b;`, params: ['x', 'y'], gives: [{ a: 'y', b: 'x' }] },
  { sql: `select 'it''s ?' as a`, gives: [{ a: "it's ?" }] },
  { sql: 'select $q$ ? $1 $q$ as a', gives: [{ a: ' ? $1 ' }], on: 'postgres' },
  { sql: `select E'\\'?' as a`, gives: [{ a: "'?" }], on: 'postgres' },
  { sql: 'select /* /* ? */ ? */ 1 as a', gives: [{ a: 1 }], on: 'postgres' },
  { sql: 'select $1, ?', params: ['x', 'y'], gives: 'invalid' },
  { sql: 'select $1', gives: 'invalid' },
  { sql: 'select ?', params: ['x', 'y'], gives: 'invalid' },
  { sql: 'select $2', params: ['x', 'y'], gives: 'invalid' },
  { sql: 'select $0', params: ['x'], gives: 'invalid' },
  { sql: 'select ?1', params: ['x'], gives: 'invalid' },
  { sql: 'select :a', gives: 'invalid', on: 'sqlite' },
];

const ONE_STATEMENT: Row[] = [
  { sql: 'select 1 as a;', gives: [{ a: 1 }] },
  { sql: 'select 1 as a; -- the end', gives: [{ a: 1 }] },
  { sql: 'select 1; select 2', gives: 'invalid' },
  { sql: `select 1; drop table singles`, gives: 'invalid' },
  { sql: '', gives: 'invalid' },
  { sql: '-- nothing', gives: 'invalid' },
];

const REFUSED = [
  `attach 'parley.db' as other`,
  `attach '../parley.db' as other`,
  'detach main',
  'vacuum',
  `vacuum into '/tmp/copy.db'`,
  'begin',
  'commit',
  'set role parley',
  'reset role',
  'set session authorization parley',
  'set search_path = public',
  `copy t to '/tmp/x'`,
  `copy t from program 'id'`,
  'create extension dblink',
  'create role stronger superuser',
  'create schema other',
  `create function f() returns int language sql as 'select 1'`,
  'listen everything',
  'notify everything',
  'grant all on t to public',
  'prepare p as select 1',
  'drop schema public cascade',
  'drop owned by parley',
  'alter role parley superuser',
  'alter system set fsync = off',
];

const REFUSED_BY: Record<StoreEngine, string[]> = {
  sqlite: [
    'pragma journal_mode = off',
    'pragma writable_schema = on',
    'pragma user_version = 5',
    'select * from pragma_database_list',
    `select load_extension('x')`,
    'create virtual table v using dbstat',
    `explain attach 'parley.db' as other`,
  ],
  postgres: [
    `select pg_read_file('/etc/passwd')`,
    `select "pg_read_file"('/etc/passwd')`,
    `select U&"\\0070g_read_file"('/etc/passwd')`,
    `select E'a'\n'\\' ' , pg_read_file('/etc/passwd') , '' `,
    `select pg_catalog.lo_import('/etc/passwd')`,
    'select * from pg_catalog.pg_class',
    'select * from pg_stat_activity',
    `do $$ begin perform 1; end $$`,
    'select pg_advisory_lock(4680001)',
    `select pg_notify('parley', 'x')`,
    `select query_to_xml('select 1', true, true, '')`,
    `select * from dblink('dbname=postgres', 'select 1') as t(a int)`,
    `select set_config('role', 'parley', false)`,
    `with x as (select set_config('search_path', 'public', false)) select * from x`,
    'select * from public.parley_databases',
    'update public.parley_databases set role = null',
    'drop table public.parley_probe',
    'alter table t set schema public',
    'create table public.evil (a int)',
    'alter table t owner to parley',
  ],
};

describe.each<StoreEngine>(['sqlite', 'postgres'])('databases of connections on %s', (engine) => {
  let now = 1_800_000_000_000;
  let scratch: ScratchDatabase;
  let store: Store;
  beforeAll(async () => {
    scratch = await scratchDatabase(engine);
    store = await openStore({ ...scratch.options, clock: () => now, databaseBytes: 16 * 1024 * 1024 });
    await store.migrate([]);
  });
  afterAll(async () => {
    await store.close();
    await scratch.remove();
  });
  const here = (rows: readonly Row[]) => rows.filter(({ on = engine }) => on === engine);

  test('check 35: parameters are bound, never spliced into the text', async () => {
    const run = runner(store);
    await run('create table texts (id integer, a text)');
    const evil = `'; DROP TABLE texts; --`;
    expect(await run('insert into texts values (1, $1)', [evil])).toMatchObject({ rowsAffected: 1 });
    expect(await run('select a from texts')).toMatchObject({ rows: [{ a: evil }], truncated: false });
    for (const { sql: text, params = [], gives } of here(PARAMETERS)) {
      const wanted = typeof gives === 'string' ? { code: gives } : { rows: gives };
      expect(await run(text, params), text).toMatchObject(wanted);
    }
  });

  test('a call is one statement', async () => {
    const run = runner(store);
    await run('create table singles (id integer)');
    for (const { sql: text, gives } of ONE_STATEMENT) {
      const wanted = typeof gives === 'string' ? { code: gives } : { rows: gives };
      expect(await run(text), text).toMatchObject(wanted);
    }
    expect(await run('select count(*) as n from singles')).toMatchObject({ rows: [{ n: 0 }] });
  });

  test('check 36: a statement cannot leave its database or become somebody stronger', async () => {
    const [a, b] = [runner(store, 'conn_a'), runner(store, 'conn_b')];
    await a('create table t (a integer)');
    await b('create table secrets_of_b (a integer)');
    for (const text of [...REFUSED, ...REFUSED_BY[engine]]) {
      expect(await a(text), text).toMatchObject({ code: 'forbidden' });
    }
    const names = [
      'secrets_of_b',
      'parley_probe',
      ...(engine === 'postgres' ? ['app_conn_b.secrets_of_b'] : []),
    ];
    for (const name of names) {
      const { code, message } = (await a(`select * from ${name}`)) as { code: string; message: string };
      expect(['sql_error', 'forbidden'], name).toContain(code);
      expect(message).not.toMatch(/app_|schema|\//);
    }
    expect(await b('select * from secrets_of_b')).toMatchObject({ rows: [] });
    // What was refused has changed nothing.
    await store.ping();
  });

  test('values come back as JSON has them', async () => {
    const run = runner(store);
    const big = engine === 'sqlite' ? '9007199254740993' : '9007199254740993::bigint';
    expect(await run(`select ${big} as big, -5 as small, 1.5 as half, null as none`)).toMatchObject({
      rows: [{ big: '9007199254740993', small: -5, half: 1.5, none: null }],
    });
    await run(`create table b (id integer, data ${engine === 'sqlite' ? 'blob' : 'bytea'}, yes boolean)`);
    const params = [7, { base64: 'AAEC' }, true];
    await run('insert into b values (?, ?, ?)', params);
    const yes = engine === 'sqlite' ? 1 : true;
    expect(await run('select * from b')).toMatchObject({ rows: [{ id: 7, data: { base64: 'AAEC' }, yes }] });
    expect(await run('insert into b values (8, null, null), (9, null, null) returning id')).toMatchObject({
      rows: [{ id: 8 }, { id: 9 }],
      rowsAffected: 2,
    });
    expect(await run('delete from b')).toMatchObject({ rowsAffected: 3 });
    expect(await run(`select 'returning' as a`)).toMatchObject({ rowsAffected: 0 });
  });

  test('a column that no row could keep is refused, and what its statement did is taken back', async () => {
    const run = runner(store);
    await run('create table named (a integer)');
    const refused = { code: 'invalid', message: expect.stringContaining('__proto__') as string };
    expect(await run('select 1 as "__proto__"')).toMatchObject(refused);
    expect(await run('insert into named values (1) returning a as b, a as "__proto__"')).toMatchObject(
      refused,
    );
    expect(await run('select * from named')).toMatchObject({ rows: [] });
    expect(await run('select 1 as "constructor", 2 as "toString"')).toMatchObject({
      rows: [{ constructor: 1, toString: 2 }],
    });
  });

  test('check 37: an answer is cut at 1,000 rows and 1 MiB', async () => {
    const run = runner(store);
    const many = await run(counted(10_000));
    expect(many).toMatchObject({ truncated: true });
    expect('rows' in many && many.rows.length).toBe(1000);
    expect(await run(counted(1000))).toMatchObject({ truncated: false });
    const wide = engine === 'sqlite' ? 'hex(zeroblob(150000))' : `repeat('ab', 150000)`;
    const cut = await run(counted(100).replace('select x from', `select ${wide} as w from`));
    expect(cut).toMatchObject({ truncated: true });
    expect('rows' in cut && cut.rows.length).toBe(3);
  });

  test('check 37: an endless statement ends at its time, and the database stays sound', async () => {
    const run = runner(store);
    await run('create table kept (a integer)');
    await run('insert into kept values (1)');
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 10);
    expect(await run(ENDLESS, [], 600)).toMatchObject({ code: 'timeout' });
    // Nothing is written, or a quick disk would be full before its time.
    const writing = `insert into kept ${counted(1_000_000_000)} where x < 0`;
    expect(await run(writing, [], 600)).toMatchObject({ code: 'timeout' });
    clearInterval(ticking);
    // The event loop went on: it would have had no turn at all.
    expect(turns).toBeGreaterThan(5);
    expect(await run('select a from kept')).toMatchObject({ rows: [{ a: 1 }] });
    expect(await run('insert into kept values (2)')).toMatchObject({ rowsAffected: 1 });
  });

  test('a statement that is cancelled ends at once', async () => {
    const cancelling = new AbortController();
    const running = store.databases.run({
      organizationId: 'org_a',
      connectionId: 'conn_a',
      sql: ENDLESS,
      params: [],
      timeoutMs: 30_000,
      signal: cancelling.signal,
    });
    setTimeout(() => cancelling.abort(new Error('gone')), 200);
    await expect(running).rejects.toThrow('gone');
  });

  test('an error says what is wrong with the statement, and nothing of the server', async () => {
    const run = runner(store);
    for (const text of [
      'select * from nowhere',
      'select 1 +',
      'create table x (',
      'insert into nowhere values (1)',
    ]) {
      const { code, message } = (await run(text)) as { code: string; message: string };
      expect(code, text).toBe('sql_error');
      expect(message).not.toMatch(/\/|\.ts|\.db|parley|app_/);
    }
  });

  /** Endless statements that run, or wait, until they are stopped; `codes` is how those ended that have. */
  function hold(organizationId: string, connectionIds: readonly string[]) {
    const stopping = new AbortController();
    const codes: unknown[] = [];
    const request = { organizationId, sql: ENDLESS, params: [], timeoutMs: 60_000, signal: stopping.signal };
    const held = connectionIds.map((connectionId) =>
      store.databases.run({ ...request, connectionId }).catch((error: unknown) => {
        codes.push(error instanceof SqlFault ? error.code : error);
      }),
    );
    const stop = async () => {
      stopping.abort('stopped');
      await Promise.all(held);
    };
    return { codes, stop };
  }

  test('two statements of a connection run at a time, some wait, and the others are refused', async () => {
    await runner(store)('select 1');
    const { codes, stop } = hold('org_a', Array<string>(25).fill('conn_a'));
    await expect.poll(() => codes.length).toBeGreaterThan(2);
    await stop();
    expect(codes).toEqual([...Array<string>(3).fill('rate_limited'), ...Array<string>(22).fill('stopped')]);
  });

  test('an organization that takes all it can get leaves places to the others', async () => {
    const many = Array.from({ length: 10 }, (_, index) => `conn_many_${index}`);
    const { codes, stop } = hold('org_many', [...many, ...many]);
    const other = runner(store, 'conn_b', 'org_b');
    expect(await Promise.all([other('select 1 as a'), other('select 2 as a')])).toMatchObject([
      { rows: [{ a: 1 }] },
      { rows: [{ a: 2 }] },
    ]);
    expect(codes).toEqual([]);
    await stop();
    expect(codes).toEqual(Array<string>(20).fill('stopped'));
  });

  test('the time of a statement begins when its turn has come', async () => {
    const run = runner(store);
    const ended: string[] = [];
    const endless = [1, 2].map(async () => {
      expect(await run(ENDLESS, [], 2000)).toMatchObject({ code: 'timeout' });
      ended.push('endless');
    });
    expect(await run('select 1 as a', [], 1900)).toMatchObject({ rows: [{ a: 1 }] });
    expect(ended).not.toEqual([]);
    await Promise.all(endless);
  });

  test('ids that look alike, are long, or come back have databases of their own', async () => {
    const ids = ['a-b', 'a_b', 'x'.repeat(64)];
    for (const id of ids)
      expect(await runner(store, id)('create table t (a integer)'), id).toMatchObject({ rows: [] });
    const again = runner(store, 'a-b');
    await again('insert into t values (1)');
    expect(await runner(store, 'a_b')('select * from t')).toMatchObject({ rows: [] });
    await store.databases.forget(store, 'org_a', ['a-b']);
    expect(await again('select * from t')).toMatchObject({ code: 'sql_error' });
    expect(await again('create table t (b integer)')).toMatchObject({ rows: [] });
    expect(await store.databases.sweep()).toBe(0);
    now += 7 * 24 * 60 * 60_000;
    expect(await store.databases.sweep()).toBe(1);
    expect(await store.databases.sweep()).toBe(0);
    expect(await again('select b from t')).toMatchObject({ rows: [] });
    expect(await runner(store, '../x')('select 1')).toMatchObject({ code: 'invalid' });
  });

  test('the same id in another organization is another database', async () => {
    const [ours, theirs] = [runner(store, 'notes_1', 'org_a'), runner(store, 'notes_1', 'org_b')];
    await ours('create table pay (who text)');
    await ours("insert into pay values ('Bo')");
    expect(await theirs('select * from pay')).toMatchObject({ code: 'sql_error' });
    await theirs('create table pay (who text)');
    expect(await theirs('select * from pay')).toMatchObject({ rows: [] });
    await store.databases.forget(store, 'org_b', ['notes_1']);
    expect(await ours('select * from pay')).toMatchObject({ rows: [{ who: 'Bo' }] });
  });
});

describe('PostgreSQL', () => {
  test('the role of a database has rights on its own schema only, and belongs to no other', async () => {
    const scratch = await scratchDatabase('postgres');
    const store = await openStore(scratch.options);
    await store.migrate([]);
    await runner(store, 'conn-A')('create table t (a integer)');
    const [row] = await store.db<AnyTables>().selectFrom('parley_databases').selectAll().execute();
    expect(row).toMatchObject({ name: 'app_conn_A', connection_id: 'org_a/conn-A' });
    const { rows } =
      await sql`select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolinherit,
        (select count(*) from pg_auth_members where member = r.oid) as memberships,
        (select array_agg(nspname::text) from pg_namespace where nspowner = r.oid) as schemas,
        (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind = 'r' and n.nspname = 'public' and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')) as tables
      from pg_roles r where rolname = ${String(row?.role)}`.execute(store.db());
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        rolinherit: false,
        memberships: 0,
        schemas: ['app_conn_A'],
        tables: 0,
      },
    ]);
    expect(JSON.stringify(row)).not.toMatch(/[0-9a-f]{48}/);
    await store.close();
    await scratch.remove();
  });

  test('a server that cannot keep databases apart runs no statement', async () => {
    const scratch = await scratchDatabase('postgres');
    const first = await openStore(scratch.options);
    await first.migrate([]);
    await sql`grant create on schema public to public`.execute(first.db());
    await first.close();
    const store = await openStore(scratch.options);
    expect(store.databases.isAvailable).toBe(false);
    expect(await runner(store)('select 1')).toMatchObject({ code: 'unavailable' });
    await store.close();
    await scratch.remove();
  });

  test('a schema takes no more than its size, and gives room back', async () => {
    const scratch = await scratchDatabase('postgres');
    const store = await openStore({ ...scratch.options, databaseBytes: 16 * 1024 * 1024 });
    await store.migrate([]);
    const run = runner(store);
    await run('create table t (a text)');
    await run('alter table t alter column a set storage external');
    const fill = `insert into t select repeat('x', 3000000) from generate_series(1, 8)`;
    expect(await run(fill, [], 30_000)).toMatchObject({ code: 'too_large' });
    expect(await run('select count(*) as n from t')).toMatchObject({ rows: [{ n: 0 }] });
    expect(await run(`select repeat('x', 40000000) as a`, [], 30_000)).toMatchObject({ code: 'too_large' });
    await store.close();
    await scratch.remove();
  });
});
