/** Call records on SQLite: a file of their own, made on first use, with short statements only. */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { PackedDetail } from '../records/packed-detail.ts';
import { unpackDetail } from '../records/packed-detail.ts';
import { lastMinuteWithout } from '../records/record-kinds.ts';
import type {
  BucketSlot,
  DetailedCallRecord,
  PruneLimits,
  RecordFilter,
  RecordQuery,
  RecordRow,
  RecordTable,
  RollupQuery,
  RollupSlot,
  StoredCallRecord,
  ToolSlot,
} from '../records/record-table.ts';
import { openWriter } from './connections.ts';
import type { SqliteDriverModule, Writer } from './connections.ts';
import { isDamaged, toStoreError } from './errors.ts';
import type { FileIdentity } from './file-guard.ts';
import { identityNow, identityOf, isSameFile } from './file-guard.ts';
import { forgetRecords } from './forget-records.ts';
import { prepareSchema } from './record-schema.ts';
import { RecordWriter } from './record-writer.ts';
import { whileBusy } from './write-lock.ts';

/** The file of the call records, inside the data folder. */
export const RECORDS_FILE = 'records.db';

const WINDOW_ROWS = 5_000;
// Where nothing is found, wider windows spare the look for the kinds that are meant.
const WIDEST_WINDOW_ROWS = 40_000;
const PRUNE_ROWS = 250;
const ROLL_UP_EVERY_MS = 1_000;

const RECORD_SQL = `calls.id, at, organization_id as organizationId, caller_id as callerId, user_id as userId, source,
  toolset, tool, method, effect, outcome, code, duration_us as durationUs, era, client, request_id as requestId,
  virtual_mcp_id as virtualMcpId`;
const DETAIL_SQL = `input, output, more, call_details.id as detailId`;
const FROM_SQL = 'from calls join call_kinds on call_kinds.id = kind_id';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface OpenTable {
  readonly database: Database.Database;
  readonly file: Writer['file'];
  readonly identity: FileIdentity | undefined;
  readonly writer: RecordWriter;
  readonly bounds: Database.Statement<[], { low: number | null; high: number | null }>;
  readonly usedBytes: Database.Statement<[], number>;
}

/** The records of one data folder. */
export class SqliteRecordTable implements RecordTable {
  readonly chunkRows = 250;
  // One file has one writer at a time.
  readonly prunesBeside = false;
  readonly #driver: SqliteDriverModule;
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  #table: Promise<OpenTable> | undefined;
  #rolledUpAt = 0;

  constructor(driver: SqliteDriverModule, dataDir: string, onError: (error: unknown) => void) {
    this.#driver = driver;
    this.#path = join(dataDir, RECORDS_FILE);
    this.#onError = onError;
  }

  write(rows: readonly RecordRow[]): Promise<number> {
    return this.#mending(async () => {
      await this.#leaveMoved();
      const { writer } = await this.#open();
      const unusable = writer.write(rows);
      if (performance.now() - this.#rolledUpAt > ROLL_UP_EVERY_MS) {
        this.#rolledUpAt = performance.now();
        writer.rollUp();
      }
      return unusable;
    });
  }

  list(query: RecordQuery): Promise<StoredCallRecord[]> {
    return this.#mending(() => this.#list<StoredCallRecord>(query, `select ${RECORD_SQL} ${FROM_SQL}`));
  }

  async listDetailed(query: RecordQuery): Promise<DetailedCallRecord[]> {
    const sql = `select ${RECORD_SQL}, ${DETAIL_SQL} ${FROM_SQL} left join call_details on call_details.id = calls.id`;
    const rows = await this.#mending(() => this.#list<DetailedRow>(query, sql));
    return rows.map(withDetail);
  }

  count(filter?: RecordFilter): Promise<number> {
    return this.#mending(() => this.#count(filter));
  }

  rollup(query: RollupQuery): Promise<RollupSlot[]> {
    const { organizationId, toolset, tool, stepMs, from, to } = query;
    const sql = `select slot, sum(calls) as calls, sum(errors) as errors, sum(duration_us) as durationUs from call_rollups
      where organization_id = ? and toolset = ? and tool = ? and step_ms = ? and bucket >= ? and bucket < ?
      group by slot`;
    return this.#mending(() => this.#rolled(sql, [organizationId, toolset, tool, stepMs, from, to]));
  }

  rollupSeries(query: RollupQuery): Promise<BucketSlot[]> {
    const { organizationId, toolset, tool, stepMs, from, to } = query;
    const sql = `select bucket, slot, calls, errors, duration_us as durationUs from call_rollups
      where organization_id = ? and toolset = ? and tool = ? and step_ms = ? and bucket >= ? and bucket < ?
      order by bucket`;
    return this.#mending(() => this.#rolled(sql, [organizationId, toolset, tool, stepMs, from, to]));
  }

  rollupTools({
    organizationId,
    stepMs,
    from,
    to,
  }: Omit<RollupQuery, 'toolset' | 'tool'>): Promise<ToolSlot[]> {
    // By the index on age: the key begins with the tools, and there may be many.
    const sql = `select toolset, tool, slot, sum(calls) as calls, sum(errors) as errors, sum(duration_us) as durationUs
      from call_rollups indexed by call_rollups_by_age
      where step_ms = ? and bucket >= ? and bucket < ? and organization_id = ? and tool <> '' group by toolset, tool, slot`;
    return this.#mending(() => this.#rolled(sql, [stepMs, from, to, organizationId]));
  }

  size(): Promise<{ rows: number; bytes: number }> {
    return this.#mending(() => this.#size());
  }

  prune(limits: PruneLimits): Promise<number> {
    return this.#mending(() => this.#prune(limits));
  }

  forget(organizationId: string): Promise<number> {
    return this.#mending(() => this.#forget(organizationId));
  }

  pruneRollups(stepMs: number, before: number): Promise<void> {
    return this.#mending(() => this.#pruneRollups(stepMs, before));
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

  async #list<Row>(query: RecordQuery, select: string): Promise<Row[]> {
    const table = await this.#openExisting();
    if (!table) return [];
    const { where, values } = conditions(query);
    const isUpward = query.oldestFirst === true;
    const read = table.database.prepare<unknown[], Row>(
      `${select} where calls.id > ? and calls.id <= ? and ${where} order by calls.id ${isUpward ? 'asc' : 'desc'} limit ?`,
    );
    const found: Row[] = [];
    const bounds = this.#bounds(table);
    const low = Math.max(bounds.low, (query.after ?? 0) + 1);
    // One window of ids after another: no index to pay for on every call, and no long hold of the event loop.
    let [below, top] = [low - 1, Math.min(bounds.high, (query.before ?? Infinity) - 1)];
    for (let rows = WINDOW_ROWS; top > below; rows = Math.min(rows * 2, WIDEST_WINDOW_ROWS)) {
      const [start, end] = isUpward
        ? [below, Math.min(below + rows, top)]
        : [Math.max(top - rows, below), top];
      found.push(...read.all(start, end, ...values, query.limit - found.length));
      if (found.length >= query.limit) break;
      if (isUpward) below = end;
      else top = start;
      await nextTurn();
    }
    return found;
  }

  async #count(filter: RecordFilter | undefined): Promise<number> {
    const table = await this.#openExisting();
    if (!table) return 0;
    const { where, values } = filter === undefined ? { where: 'true', values: [] } : conditions(filter);
    const read = table.database
      .prepare<unknown[], number>(`select count(*) from calls where id >= ? and id < ? and ${where}`)
      .pluck();
    const { low, high } = this.#bounds(table);
    let total = 0;
    for (let start = low; start <= high; start += WIDEST_WINDOW_ROWS) {
      total += read.get(start, start + WIDEST_WINDOW_ROWS, ...values) ?? 0;
      await nextTurn();
    }
    return total;
  }

  async #rolled<Row>(sql: string, values: unknown[]): Promise<Row[]> {
    const table = await this.#rolledUp();
    return table ? table.database.prepare<unknown[], Row>(sql).all(...values) : [];
  }

  async #size(): Promise<{ rows: number; bytes: number }> {
    const table = await this.#openExisting();
    if (!table) return { rows: 0, bytes: 0 };
    const { low, high } = this.#bounds(table);
    const [bytes = 0] = table.usedBytes.all();
    return { rows: high - low + 1, bytes };
  }

  async #prune({ olderThan, maxRows, isOver }: PruneLimits): Promise<number> {
    const table = await this.#rolledUp();
    if (!table) return 0;
    const { database } = table;
    const removeCalls = database.prepare('delete from calls where id < ? and (id <= ? or at < ?)');
    // The details of what went; those of a call that stays keep the ones behind it for a while.
    const removeDetails = database.prepare(
      'delete from call_details where id < ? and id < coalesce((select min(id) from calls), 1e18)',
    );
    const removeSome = database.transaction((end: number, lastId: number) => {
      const { changes } = removeCalls.run(end, lastId, olderThan);
      if (changes > 0) removeDetails.run(end);
      return changes;
    });
    for (let deleted = 0; ; await nextTurn()) {
      const { low, high } = this.#bounds(table);
      const changes = await whileBusy(() => removeSome.immediate(low + PRUNE_ROWS, high - maxRows));
      if (changes === 0 || isOver()) {
        if (deleted > 0) await whileBusy(() => removeKinds(database));
        return deleted + changes;
      }
      deleted += changes;
    }
  }

  async #forget(organizationId: string): Promise<number> {
    const table = await this.#openExisting();
    return table ? forgetRecords(table.database, organizationId, nextTurn) : 0;
  }

  async #pruneRollups(stepMs: number, before: number): Promise<void> {
    const table = await this.#openExisting();
    if (!table) return;
    const oldest = table.database
      .prepare<[number], number | null>('select min(bucket) from call_rollups where step_ms = ?')
      .pluck();
    const remove = table.database.prepare('delete from call_rollups where step_ms = ? and bucket = ?');
    for (;;) {
      const bucket = oldest.get(stepMs) ?? Infinity;
      if (bucket >= before) return;
      await whileBusy(() => remove.run(stepMs, bucket));
      await nextTurn();
    }
  }

  #bounds(table: OpenTable): { low: number; high: number } {
    const { low, high } = table.bounds.get() ?? {};
    return { low: low ?? 1, high: high ?? 0 };
  }

  /** The table with every call in the rollups. */
  async #rolledUp(): Promise<OpenTable | undefined> {
    const table = await this.#openExisting();
    if (table === undefined) return undefined;
    while (await whileBusy(() => table.writer.rollUp())) await nextTurn();
    return table;
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
    await prepareSchema(writer.database, nextTurn);
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
    writer: new RecordWriter(database),
    bounds: database.prepare(
      'select (select min(id) from calls) as low, (select max(id) from calls) as high',
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

/** Lets go of the kinds that no record has any more. */
function removeKinds(database: Database.Database): void {
  const oldestAt = database.prepare<[], number>('select at from calls order by id limit 1').pluck().get();
  if (oldestAt === undefined) return;
  database.prepare('delete from call_kinds where used_minute < ?').run(lastMinuteWithout(oldestAt));
}

type DetailedRow = StoredCallRecord & PackedDetail & { readonly detailId: number | null };

function withDetail({ input, output, more, detailId, ...record }: DetailedRow): DetailedCallRecord {
  return { ...record, detail: detailId === null ? null : unpackDetail({ input, output, more }) };
}

/** The conditions on calls; what their kinds have to be is asked once, not for every call. */
function conditions(filter: RecordFilter): { where: string; values: unknown[] } {
  const listed = (texts: readonly string[] | undefined) => texts && JSON.stringify(texts);
  const kinds: Array<[sql: string, value: unknown]> = [
    ['organization_id = ?', filter.organizationId],
    ['toolset = ?', filter.toolset],
    ['tool = ?', filter.tool],
    ['caller_id = ?', filter.callerId],
    ['outcome = ?', filter.outcome],
    [
      "(outcome in ('error', 'denied')) = ?",
      filter.isError === undefined ? undefined : Number(filter.isError),
    ],
    ['virtual_mcp_id = ?', filter.virtualMcpId],
    ['source = ?', filter.source],
    ['effect = ?', filter.effect],
    ['code = ?', filter.code],
    ['user_id = ?', filter.userId],
    ['instr(lower(tool), ?) > 0', filter.toolPart?.toLowerCase()],
    ['toolset in (select value from json_each(?))', listed(filter.toolsets)],
    ['tool in (select value from json_each(?))', listed(filter.tools)],
    ['caller_id in (select value from json_each(?))', listed(filter.callerIds)],
    ['virtual_mcp_id in (select value from json_each(?))', listed(filter.virtualMcpIds)],
    ['toolset not in (select value from json_each(?))', listed(filter.exceptToolsets)],
  ];
  const calls: Array<[sql: string, value: unknown]> = [
    ['at >= ?', filter.since],
    ['at <= ?', filter.until],
    ['request_id = ?', filter.requestId],
    ['duration_us >= ?', filter.minDurationUs],
  ];
  const isUsed = ([, value]: [string, unknown]) => value !== undefined;
  const [ofKinds, ofCalls] = [kinds.filter(isUsed), calls.filter(isUsed)];
  const kindSql = `kind_id in (select id from call_kinds where ${ofKinds.map(([sql]) => sql).join(' and ')})`;
  return {
    where: [kindSql, ...ofCalls.map(([sql]) => sql)].join(' and '),
    values: [...ofKinds, ...ofCalls].map(([, value]) => value),
  };
}
