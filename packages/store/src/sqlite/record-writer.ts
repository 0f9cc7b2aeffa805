/** Writes batches of call records on SQLite: their kinds, the calls, their details and the rollups, in one transaction. */
import type Database from 'better-sqlite3';
import { DETAIL_COLUMNS, packDetail } from '../records/packed-detail.ts';
import { minuteOf, KIND_COLUMNS, KnownKinds, kindValues, storedKey } from '../records/record-kinds.ts';
import type { NewCallRecord, RecordRow } from '../records/record-table.ts';
import { ROLLUPS } from '../records/record-table.ts';

// Ten rows in one statement cost a quarter less than ten statements; more rows gain nothing.
const GROUP_ROWS = 10;
// Many calls of one tool are one change of its rollup, so it is made for many at a time.
const ROLLED_ROWS = 4_000;
const CALL_COLUMNS = ['id', 'at', 'kind_id', 'duration_us', 'request_id'];
const KIND_SQL = `insert into call_kinds (key, used_minute, ${KIND_COLUMNS.join(', ')})
  values (?, ?, ${KIND_COLUMNS.map(() => '?').join(', ')})
  on conflict (key) do update set used_minute = max(used_minute, excluded.used_minute) returning id`;

/** Adds the calls of an id range to the rollups; grouped by kind first, so that texts are looked at once per group. */
export const ROLLUP_SQL = `
with batch as materialized (
  select kind_id, at / 60000 * 60000 as minute, cast(log2(duration_us + 1) * 4 as integer) as slot,
    count(*) as calls, sum(duration_us) as duration_us
  from calls where id > ? and id <= ? group by 1, 2, 3),
named as (
  select organization_id, toolset, tool, method, outcome, minute, slot, calls, duration_us,
    iif(outcome in ('error', 'denied'), calls, 0) as errors
  from batch join call_kinds on call_kinds.id = kind_id),
parts as (
  select organization_id, '' as toolset, '' as tool, minute, slot, calls, errors, duration_us from named
  union all select organization_id, toolset, tool, minute, slot, calls, errors, duration_us from named
  where outcome <> 'denied' and method <> 'resources/read'),
steps (step_ms) as (values ${ROLLUPS.map(({ stepMs }) => `(${stepMs})`).join(', ')})
insert into call_rollups (organization_id, toolset, tool, step_ms, bucket, slot, calls, errors, duration_us)
select organization_id, toolset, tool, step_ms, minute / step_ms * step_ms, slot, sum(calls), sum(errors), sum(duration_us)
from parts cross join steps where true group by 1, 2, 3, 4, 5, 6
on conflict do update set calls = calls + excluded.calls, errors = errors + excluded.errors,
  duration_us = duration_us + excluded.duration_us`;

/** Writes to one open file. */
export class RecordWriter {
  readonly #database: Database.Database;
  readonly #kinds = new KnownKinds();
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #lastId: Database.Statement<[], number | null>;
  readonly #insertKind: Database.Statement<unknown[], number>;
  readonly #rollUp: Database.Statement<[number, number]>;
  readonly #rolledTo: Database.Statement<[], number>;
  readonly #setRolledTo: Database.Statement<[number]>;
  readonly #calls: GroupInsert;
  readonly #details: GroupInsert;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#lastId = database.prepare<[], number | null>('select max(id) from calls').pluck();
    this.#insertKind = database.prepare<unknown[], number>(KIND_SQL).pluck();
    this.#rollUp = database.prepare(ROLLUP_SQL);
    this.#rolledTo = database.prepare<[], number>('select id from call_rolled').pluck();
    this.#setRolledTo = database.prepare('update call_rolled set id = ?');
    this.#calls = new GroupInsert(database, 'calls', CALL_COLUMNS);
    this.#details = new GroupInsert(database, 'call_details', ['id', ...DETAIL_COLUMNS]);
  }

  /** Returns how many rows could not be stored. */
  write(rows: readonly RecordRow[]): number {
    return this.#inTransaction(() => this.#insert(rows, this.#lastId.get() ?? 0));
  }

  /** Adds the next calls to the rollups, each once whoever does it; false when there are none left. */
  rollUp(): boolean {
    return this.#inTransaction(() => {
      const last = this.#lastId.get() ?? 0;
      // Ids begin anew when every record is gone.
      const from = Math.min(this.#rolledTo.get() ?? 0, last);
      const to = Math.min(from + ROLLED_ROWS, last);
      if (from < to) this.#rollUp.run(from, to);
      this.#setRolledTo.run(to);
      return to < last;
    });
  }

  #inTransaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      this.#kinds.forget();
      throw error;
    }
  }

  #insert(rows: readonly RecordRow[], last: number): number {
    let id = last;
    const calls: unknown[] = [];
    const details: unknown[] = [];
    for (const { record, detail } of rows) {
      id += 1;
      const { at, durationUs, requestId } = record;
      calls.push(id, at, this.#kindOf(record), durationUs, requestId);
      if (detail === undefined) continue;
      const { input, output, more } = packDetail(detail);
      details.push(id, input, output, more);
    }
    const unusable = this.#calls.run(calls);
    this.#details.run(details);
    return unusable;
  }

  #kindOf(record: NewCallRecord): number | null {
    const known = this.#kinds.idOf(record);
    if (known !== undefined) return known;
    const values = kindValues(record);
    try {
      const id = this.#insertKind.get(storedKey(record), minuteOf(record.at), ...values) ?? null;
      if (id !== null) this.#kinds.learn(record, id);
      return id;
    } catch (error) {
      // Without a kind the row is refused below, and counted.
      if (isUnusable(error)) return null;
      throw error;
    }
  }
}

/** Inserts rows in groups; their values come in one list, since a list for each row costs as much as binding it. */
class GroupInsert {
  readonly #width: number;
  readonly #many: Database.Statement;
  readonly #one: Database.Statement;

  constructor(database: Database.Database, table: string, columns: readonly string[]) {
    this.#width = columns.length;
    const row = `(${columns.map(() => '?').join(', ')})`;
    const sql = (rows: number) =>
      `insert into ${table} (${columns.join(', ')}) values ${Array(rows).fill(row).join(', ')}`;
    this.#many = database.prepare(sql(GROUP_ROWS));
    this.#one = database.prepare(sql(1));
  }

  /** Returns how many rows could not be stored. */
  run(values: readonly unknown[]): number {
    let unusable = 0;
    const groupWidth = GROUP_ROWS * this.#width;
    for (let start = 0; start < values.length; start += groupWidth) {
      const group = values.slice(start, start + groupWidth);
      const isStored = group.length === groupWidth && tryInsert(this.#many, group);
      // A row that cannot be stored must not hold up the others of its group.
      if (!isStored) unusable += this.#oneByOne(group);
    }
    return unusable;
  }

  #oneByOne(values: readonly unknown[]): number {
    let unusable = 0;
    for (let start = 0; start < values.length; start += this.#width)
      if (!tryInsert(this.#one, values.slice(start, start + this.#width))) unusable += 1;
    return unusable;
  }
}

function tryInsert(insert: Database.Statement, values: readonly unknown[]): boolean {
  try {
    insert.run(values);
    return true;
  } catch (error) {
    if (isUnusable(error)) return false;
    throw error;
  }
}

function isUnusable(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT');
}
