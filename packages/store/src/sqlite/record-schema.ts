/** The tables of the records file, and the way there from what earlier versions wrote. */
import type Database from 'better-sqlite3';
import { KIND_COLUMNS } from '../records/record-kinds.ts';
import { whileBusy } from './write-lock.ts';

const MOVED_ROWS = 2_000;

const TABLES_SQL = `
create table if not exists call_kinds (
  id integer primary key, key text not null unique, used_minute integer not null,
  organization_id text not null, caller_id text not null, user_id text, source text not null, toolset text not null,
  tool text not null, method text not null, effect text, outcome text not null, code text, era text not null,
  client text, virtual_mcp_id text);
create table if not exists calls (
  id integer primary key, at integer not null, kind_id integer not null, duration_us integer not null, request_id text);
create table if not exists call_rolled (one integer primary key check (one = 1), id integer not null);
insert or ignore into call_rolled values (1, 0);
create table if not exists call_details (
  id integer primary key, input text, output text, more text);
create table if not exists call_rollups (
  organization_id text not null, toolset text not null, tool text not null, step_ms integer not null,
  bucket integer not null, slot integer not null, calls integer not null, errors integer not null,
  duration_us integer not null,
  primary key (organization_id, toolset, tool, step_ms, bucket, slot)) without rowid;
create index if not exists call_rollups_by_age on call_rollups (step_ms, bucket);
create view if not exists call_records as
  select calls.id, at, ${KIND_COLUMNS.join(', ')}, duration_us, request_id
  from calls join call_kinds on call_kinds.id = kind_id;`;

/** Makes the tables; a file of one wide table is brought into this shape, a small step at a time. */
export async function prepareSchema(
  database: Database.Database,
  nextTurn: () => Promise<void>,
): Promise<void> {
  await whileBusy(() => database.transaction(() => setAside(database)).immediate());
  await whileBusy(() => database.exec(TABLES_SQL));
  if (!hasTable(database, 'wide_records')) return;
  const step = database.transaction(() => moveSome(database));
  while (await whileBusy(() => step.immediate())) await nextTurn();
}

function setAside(database: Database.Database): void {
  if (hasTable(database, 'call_records')) database.exec('alter table call_records rename to wide_records');
}

/** Moves the newest rows that are left, with their ids; the rollup begins at the first one when all are moved. */
function moveSome(database: Database.Database): boolean {
  // Another process may have moved the last of them.
  if (!hasTable(database, 'wide_records')) return false;
  const last = database.prepare<[], number | null>('select max(id) from wide_records').pluck().get();
  if (last === null || last === undefined) {
    database.exec('drop table wide_records');
    return false;
  }
  const from = last - MOVED_ROWS;
  const columns = 'organization_id, caller_id, source, toolset, tool, method, outcome, code, era, client';
  const key = `'wide ' || json_array(${columns})`;
  database
    .prepare(
      `insert into call_kinds (key, used_minute, ${columns}) select ${key}, max(at) / 60000, ${columns} from wide_records
        where id > ? group by 1 on conflict (key) do update set used_minute = max(used_minute, excluded.used_minute)`,
    )
    .run(from);
  database
    .prepare(
      `insert or ignore into calls (id, at, kind_id, duration_us, request_id) select wide_records.id, at, call_kinds.id,
        duration_us, request_id from wide_records join call_kinds on key = 'wide ' || json_array(${columns
          .split(', ')
          .map((column) => `wide_records.${column}`)
          .join(', ')}) where wide_records.id > ?`,
    )
    .run(from);
  database.prepare('delete from wide_records where id > ?').run(from);
  return true;
}

function hasTable(database: Database.Database, name: string): boolean {
  const found = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name);
  return found !== undefined;
}
