/** Call records on SQLite: a file of their own, made on first use, with short statements only. */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { NewCallRecord, RecordQuery, RecordTable, StoredCallRecord } from '../records/record-table.ts';
import { openWriter } from './connections.ts';
import type { SqliteDriverModule, Writer } from './connections.ts';
import { isDamaged, toStoreError } from './errors.ts';
import type { FileIdentity } from './file-guard.ts';
import { identityNow, identityOf, isSameFile } from './file-guard.ts';
import { whileBusy } from './write-lock.ts';

/** The file of the call records, inside the data folder. */
export const RECORDS_FILE = 'records.db';

const WINDOW_ROWS = 5_000;
const PRUNE_ROWS = 500;
// Ten rows in one statement cost a quarter less than ten statements; more rows gain nothing.
const GROUP_ROWS = 10;

const CREATE_SQL = `create table if not exists call_records (
  id integer primary key, at integer not null, organization_id text not null, caller_id text not null,
  source text not null, toolset text not null, tool text not null, method text not null, outcome text not null,
  code text, duration_us integer not null, era text not null, client text, request_id text)`;
const insertSql = (
  rows: number,
): string => `insert into call_records (at, organization_id, caller_id, source, toolset,
  tool, method, outcome, code, duration_us, era, client, request_id)
  values ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;
const SELECT_SQL = `select id, at, organization_id as organizationId, caller_id as callerId, source, toolset, tool, method,
  outcome, code, duration_us as durationUs, era, client, request_id as requestId from call_records`;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface OpenTable {
  readonly database: Database.Database;
  readonly file: Writer['file'];
  readonly identity: FileIdentity | undefined;
  readonly begin: Database.Statement;
  readonly commit: Database.Statement;
  readonly insertGroup: Database.Statement;
  readonly insertOne: Database.Statement;
  readonly bounds: Database.Statement<[], { low: number | null; high: number | null }>;
  readonly usedBytes: Database.Statement<[], number>;
}

/** The records of one data folder. */
export class SqliteRecordTable implements RecordTable {
  readonly chunkRows = 250;
  readonly #driver: SqliteDriverModule;
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  #table: Promise<OpenTable> | undefined;

  constructor(driver: SqliteDriverModule, dataDir: string, onError: (error: unknown) => void) {
    this.#driver = driver;
    this.#path = join(dataDir, RECORDS_FILE);
    this.#onError = onError;
  }

  write(rows: NewCallRecord[]): Promise<number> {
    return this.#mending(async () => {
      await this.#leaveMoved();
      return writeRows(await this.#open(), rows);
    });
  }

  list(query: RecordQuery): Promise<StoredCallRecord[]> {
    return this.#mending(() => this.#list(query));
  }

  count(): Promise<number> {
    return this.#mending(() => this.#count());
  }

  size(): Promise<{ rows: number; bytes: number }> {
    return this.#mending(() => this.#size());
  }

  prune(olderThan: number, maxRows: number): Promise<number> {
    return this.#mending(() => this.#prune(olderThan, maxRows));
  }

  forget(organizationId: string): Promise<number> {
    return this.#mending(() => this.#forget(organizationId));
  }

  async close(): Promise<void> {
    // One that did not open has told its caller so, and there is nothing to close.
    const table = await this.#table?.catch(() => undefined);
    this.#table = undefined;
    table?.database.close();
    table?.file.release();
  }

  /** Puts a damaged file aside and begins a new one: records may be lost, and must not stay lost from then on. */
  async #mending<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = toStoreError(error, this.#path);
      if (!isDamaged(failure)) throw failure;
      await this.#putAside(failure);
    }
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, this.#path);
    }
  }

  async #putAside(cause: unknown): Promise<void> {
    // A damaged file may not close either; it is put aside all the same, and its fault is reported below.
    await this.close().catch(() => undefined);
    const aside = `${this.#path}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    for (const suffix of ['-wal', '-shm', '']) {
      await rename(`${this.#path}${suffix}`, `${aside}${suffix}`).catch((error: unknown) => {
        if (suffix === '') throw error;
      });
    }
    this.#onError(
      new Error(`The file of the call records is damaged. It is kept as ${aside}; a new one was begun.`, {
        cause,
      }),
    );
  }

  /** Lets go of a file that is no longer at its path; the next use makes a new one. */
  async #leaveMoved(): Promise<void> {
    const table = await this.#table;
    // At once, as the write that follows: a look by way of a thread costs as much as forty rows.
    if (table && !isSameFile(table.identity, identityNow(this.#path))) await this.close();
  }

  async #list(query: RecordQuery): Promise<StoredCallRecord[]> {
    const table = await this.#openExisting();
    if (!table) return [];
    const { where, values } = conditions(query);
    const read = table.database.prepare<unknown[], StoredCallRecord>(
      `${SELECT_SQL} where id > ? and id <= ? and ${where} order by id desc limit ?`,
    );
    const found: StoredCallRecord[] = [];
    const { low, high } = this.#bounds(table);
    // One window of ids after another: no index to pay for on every call, and no long hold of the event loop.
    for (let end = Math.min(high, (query.before ?? Infinity) - 1); end >= low; end -= WINDOW_ROWS) {
      found.push(...read.all(end - WINDOW_ROWS, end, ...values, query.limit - found.length));
      if (found.length >= query.limit) break;
      await nextTurn();
    }
    return found;
  }

  async #count(): Promise<number> {
    const table = await this.#openExisting();
    if (!table) return 0;
    const read = table.database
      .prepare<[number, number], number>('select count(*) from call_records where id >= ? and id < ?')
      .pluck();
    const { low, high } = this.#bounds(table);
    let total = 0;
    for (let start = low; start <= high; start += WINDOW_ROWS * 10) {
      total += read.get(start, start + WINDOW_ROWS * 10) ?? 0;
      await nextTurn();
    }
    return total;
  }

  async #size(): Promise<{ rows: number; bytes: number }> {
    const table = await this.#openExisting();
    if (!table) return { rows: 0, bytes: 0 };
    const { low, high } = this.#bounds(table);
    const [bytes = 0] = table.usedBytes.all();
    return { rows: high - low + 1, bytes };
  }

  async #prune(olderThan: number, maxRows: number): Promise<number> {
    const table = await this.#openExisting();
    if (!table) return 0;
    const remove = table.database.prepare('delete from call_records where id < ? and (id <= ? or at < ?)');
    for (let deleted = 0; ; await nextTurn()) {
      const { low, high } = this.#bounds(table);
      const { changes } = await whileBusy(() => remove.run(low + PRUNE_ROWS, high - maxRows, olderThan));
      if (changes === 0) return deleted;
      deleted += changes;
    }
  }

  async #forget(organizationId: string): Promise<number> {
    const table = await this.#openExisting();
    if (!table) return 0;
    const remove = table.database.prepare(
      'delete from call_records where id >= ? and id < ? and organization_id = ?',
    );
    const { low, high } = this.#bounds(table);
    let deleted = 0;
    for (let start = low; start <= high; start += WINDOW_ROWS) {
      const end = start + WINDOW_ROWS;
      deleted += (await whileBusy(() => remove.run(start, end, organizationId))).changes;
      await nextTurn();
    }
    return deleted;
  }

  #bounds(table: OpenTable): { low: number; high: number } {
    const { low, high } = table.bounds.get() ?? {};
    return { low: low ?? 1, high: high ?? 0 };
  }

  // Reading must not make the file.
  async #openExisting(): Promise<OpenTable | undefined> {
    return this.#table || existsSync(this.#path) ? this.#open() : undefined;
  }

  #open(): Promise<OpenTable> {
    this.#table ??= openTable(this.#driver, this.#path, this.#onError).catch((error: unknown) => {
      this.#table = undefined;
      throw error;
    });
    return this.#table;
  }
}

async function openTable(
  Driver: SqliteDriverModule,
  path: string,
  onError: (error: unknown) => void,
): Promise<OpenTable> {
  const writer = openWriter(Driver, path, onError);
  try {
    await whileBusy(() => writer.database.exec(CREATE_SQL));
    return prepareTable(writer, await identityOf(path));
  } catch (error) {
    writer.database.close();
    writer.file.release();
    throw error;
  }
}

function prepareTable({ database, file }: Writer, identity: FileIdentity | undefined): OpenTable {
  return {
    database,
    file,
    identity,
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    insertGroup: database.prepare(insertSql(GROUP_ROWS)),
    insertOne: database.prepare(insertSql(1)),
    bounds: database.prepare(
      'select (select min(id) from call_records) as low, (select max(id) from call_records) as high',
    ),
    // The file does not shrink; pages that deleted rows have left are used again.
    usedBytes: database
      .prepare<[], number>(
        `select (page_count - freelist_count) * page_size
          from pragma_page_count, pragma_freelist_count, pragma_page_size`,
      )
      .pluck(),
  };
}

function writeRows(table: OpenTable, rows: NewCallRecord[]): number {
  let unusable = 0;
  table.begin.run();
  try {
    for (let start = 0; start < rows.length; start += GROUP_ROWS) {
      const group = rows.slice(start, start + GROUP_ROWS);
      const isStored = group.length === GROUP_ROWS && tryInsert(table.insertGroup, group);
      // A row that cannot be stored must not hold up the others of its group.
      if (!isStored) unusable += group.filter((row) => !tryInsert(table.insertOne, [row])).length;
    }
    table.commit.run();
    return unusable;
  } catch (error) {
    if (table.database.inTransaction) table.database.exec('ROLLBACK');
    throw error;
  }
}

function tryInsert(insert: Database.Statement, rows: NewCallRecord[]): boolean {
  const values: unknown[] = [];
  for (const row of rows) {
    values.push(row.at, row.organizationId, row.callerId, row.source, row.toolset, row.tool, row.method);
    values.push(row.outcome, row.code, row.durationUs, row.era, row.client, row.requestId);
  }
  try {
    insert.run(values);
    return true;
  } catch (error) {
    if (error instanceof TypeError || isConstraint(error)) return false;
    throw error;
  }
}

function isConstraint(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT');
}

function conditions(query: RecordQuery): { where: string; values: unknown[] } {
  const parts: Array<[sql: string, value: unknown]> = [
    ['organization_id = ?', query.organizationId],
    ['tool = ?', query.tool],
    ['caller_id = ?', query.callerId],
    ['outcome = ?', query.outcome],
    ['at >= ?', query.since],
    ['at <= ?', query.until],
  ];
  const used = parts.filter(([, value]) => value !== undefined);
  return { where: used.map(([sql]) => sql).join(' and '), values: used.map(([, value]) => value) };
}
