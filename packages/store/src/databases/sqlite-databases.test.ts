/** Databases of connections on SQLite: triggers, sizes, and copies that are put back. */
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { counted, runner } from '../../test/sql-runner.ts';
import { scratchDatabase } from '../testing/index.ts';
import { damagedFiles, openStore } from '../open-store.ts';

const TRIGGER =
  'create trigger NAME after insert on noted begin insert into notes values (case when new.id then 1 end); delete from notes where id = 9; end';
const TRIGGERS: readonly (readonly [sql: string, code: string | undefined])[] = [
  [TRIGGER.replace('NAME', 'one'), undefined],
  [`${TRIGGER.replace('NAME', 'two')}; -- the end`, undefined],
  [`/* ; end; */ ${TRIGGER.replace('create trigger NAME', 'CREATE TRIGGER "; end;"')};`, undefined],
  [`${TRIGGER}; drop table notes`, 'invalid'],
  [`${TRIGGER};; ${TRIGGER};`, 'invalid'],
  [`${TRIGGER} drop table notes`, 'sql_error'],
  ['create trigger NAME after insert on noted; drop table notes; end', 'invalid'],
  ['create trigger NAME after insert on noted begin delete from notes; drop table notes; end', 'sql_error'],
  ['create table begin_trigger (a integer); drop table notes; end', 'invalid'],
];

test('a trigger is one statement with others inside, and nothing comes along behind it', async () => {
  const scratch = await scratchDatabase('sqlite');
  const store = await openStore(scratch.options);
  await store.migrate([]);
  const run = runner(store);
  await run('create table noted (id integer)');
  await run('create table notes (id integer)');
  for (const [text, code] of TRIGGERS) {
    expect(await run(text), text).toMatchObject(code === undefined ? { rows: [] } : { code });
  }
  await run('insert into noted values (5)');
  expect(await run('select count(*) as n from notes')).toMatchObject({ rows: [{ n: 3 }] });
  expect(await run(`select name from sqlite_schema where name in ('NAME', 'begin_trigger')`)).toMatchObject({
    rows: [],
  });
  await store.close();
  await scratch.remove();
});

test('a file takes no more than its size, and the files are in the backup', async () => {
  const scratch = await scratchDatabase('sqlite');
  const store = await openStore({ ...scratch.options, databaseBytes: 16 * 1024 * 1024 });
  await store.migrate([]);
  const run = runner(store);
  await run('create table t (a blob)');
  const fill = `insert into t select zeroblob(7000000) from (${counted(5)})`;
  expect(await run(fill, [], 30_000)).toMatchObject({ code: 'too_large' });
  expect(await run('select count(*) as n from t')).toMatchObject({ rows: [{ n: 0 }] });
  expect(await run('select length(zeroblob(9000000))')).toMatchObject({ code: 'too_large' });
  const hungry = `select max(b) from (select randomblob(1000) as b from (${counted(10_000_000)}) order by b)`;
  expect(await run(hungry, [], 30_000)).toMatchObject({ code: 'too_large' });
  await run('insert into t values (1)');
  const target = join(scratch.options.dataDir, 'copy');
  await store.backup(target);
  expect(readdirSync(join(target, 'databases'))).toEqual(['conn_a.db']);
  await store.close();
  const restored = await openStore({ ...scratch.options, dataDir: target });
  expect(await runner(restored)('select count(*) as n from t')).toMatchObject({ rows: [{ n: 1 }] });
  await restored.close();
  await scratch.remove();
});

test('a copy that is put back over a file with a journal is what it was when it was copied', async () => {
  const scratch = await scratchDatabase('sqlite');
  const { dataDir } = scratch.options;
  const store = await openStore(scratch.options);
  await store.migrate([]);
  await runner(store)('create table t (a integer primary key, b text)');
  await runner(store)(`insert into t select x, hex(randomblob(100)) from (${counted(5000)})`);
  const target = join(dataDir, 'copy');
  await store.backup(target);
  await runner(store)('delete from t where a % 2 = 0');
  await store.close();
  // What a process leaves that is killed while it writes: pages of the file as it was then.
  const file = join(dataDir, 'databases', 'conn_a.db');
  const writer = new Database(file);
  writer.pragma('cache_size = 1');
  writer.exec('begin; update t set b = b || hex(randomblob(200))');
  copyFileSync(`${file}-journal`, join(dataDir, 'left-behind'));
  writer.exec('rollback');
  writer.close();
  cpSync(join(target, 'databases'), join(dataDir, 'databases'), { recursive: true });
  copyFileSync(join(dataDir, 'left-behind'), `${file}-journal`);
  const errors: unknown[] = [];
  const again = await openStore({ ...scratch.options, onError: (error) => errors.push(error) });
  expect(await runner(again)('select count(*) as n, sum(length(b)) as s from t')).toMatchObject({
    rows: [{ n: 5000, s: 1_000_000 }],
  });
  expect(String(errors)).toContain('-journal.stale-');
  await again.close();
  const damaged: unknown[] = [];
  expect(await damagedFiles(dataDir, (error) => damaged.push(error))).toEqual([]);
  writeFileSync(file, readFileSync(file).fill(7, 8192, 12_288));
  expect(await damagedFiles(dataDir, (error) => damaged.push(error))).toEqual([file]);
  await scratch.remove();
});
