/** Call records on PostgreSQL: a batch is one statement, with one array per column. */
import { CompiledQuery, sql } from 'kysely';
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { AnyTables } from '../engine.ts';
import { unpackDetail } from '../records/packed-detail.ts';
import { KnownKinds, lastMinuteWithout, storedKey } from '../records/record-kinds.ts';
import type {
  BucketSlot,
  DetailedCallRecord,
  NewCallRecord,
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
import { pauseAfter } from '../tidying.ts';
import { kindColumns, KINDS_SQL, rowColumns, ROWS_SQL } from './record-write.ts';

const PRUNE_ROWS = 2_000;
// One server at a time tidies up; a lock of the transaction, so that nothing has to be given back.
const PRUNE_LOCK = 4_680_001;
const SAMPLE_ROWS = 500;
// What the indexes and the page take for a row.
const ROW_OVERHEAD_BYTES = 100;

interface RecordTables {
  readonly parley_call_records: {
    id: number;
    at: number;
    organization_id: string;
    caller_id: string;
    user_id: string | null;
    source: string;
    toolset: string;
    tool: string;
    method: string;
    effect: string | null;
    outcome: NewCallRecord['outcome'];
    code: string | null;
    duration_us: number;
    era: string;
    client: string | null;
    request_id: string | null;
    virtual_mcp_id: string | null;
  };
  readonly parley_call_details: {
    id: number;
    input: string | null;
    output: string | null;
    more: string | null;
  };
}

/** The records of one database. */
export class PostgresRecordTable implements RecordTable {
  readonly chunkRows = 1_000;
  readonly prunesBeside = true;
  readonly #db: Kysely<RecordTables>;
  /** On connections that nobody else has. */
  readonly #writing: Kysely<RecordTables>;
  readonly #kinds = new KnownKinds();

  constructor({ reading, writing }: { reading: Kysely<AnyTables>; writing: Kysely<AnyTables> }) {
    this.#db = reading;
    this.#writing = writing;
  }

  async write(rows: readonly RecordRow[]): Promise<number> {
    const usable = rows.filter(
      ({ record }) => Number.isSafeInteger(record.at) && Number.isSafeInteger(record.durationUs),
    );
    const kindOf = await this.#kindsOf(usable.map(({ record }) => record));
    await this.#writing.executeQuery(CompiledQuery.raw(ROWS_SQL, rowColumns(usable, kindOf)));
    return rows.length - usable.length;
  }

  list(query: RecordQuery): Promise<StoredCallRecord[]> {
    return this.#page(query).execute();
  }

  async listDetailed(query: RecordQuery): Promise<DetailedCallRecord[]> {
    const records = await this.list(query);
    const rows = await this.#db
      .selectFrom('parley_call_details')
      .select(['id', 'input', 'output', 'more'])
      .where('id', '=', sql<number>`any(${records.map(({ id }) => id)}::bigint[])`)
      .execute();
    const details = new Map(rows.map(({ id, ...packed }) => [id, unpackDetail(packed)]));
    return records.map((record) => ({ ...record, detail: details.get(record.id) ?? null }));
  }

  async count(filter?: RecordFilter): Promise<number> {
    const rows = this.#db.selectFrom('parley_call_records');
    const { total } = await (filter === undefined ? rows : matching(rows, filter))
      .select((counted) => counted.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  async rollup({ organizationId, toolset, tool, stepMs, from, to }: RollupQuery): Promise<RollupSlot[]> {
    const { rows } = await sql<RollupSlot>`
      select slot, sum(calls)::float8 as calls, sum(errors)::float8 as errors, sum(duration_us)::float8 as "durationUs"
      from parley_call_rollups where organization_id = ${organizationId} and toolset = ${toolset} and tool = ${tool}
        and step_ms = ${stepMs} and bucket >= ${from} and bucket < ${to}
      group by slot`.execute(this.#db);
    return rows;
  }

  async rollupSeries(query: RollupQuery): Promise<BucketSlot[]> {
    const { organizationId, toolset, tool, stepMs, from, to } = query;
    const { rows } = await sql<BucketSlot>`
      select bucket::float8 as bucket, slot, calls::float8 as calls, errors::float8 as errors,
        duration_us::float8 as "durationUs"
      from parley_call_rollups where organization_id = ${organizationId} and toolset = ${toolset} and tool = ${tool}
        and step_ms = ${stepMs} and bucket >= ${from} and bucket < ${to}
      order by bucket`.execute(this.#db);
    return rows;
  }

  async rollupTools(query: Omit<RollupQuery, 'toolset' | 'tool'>): Promise<ToolSlot[]> {
    const { organizationId, stepMs, from, to } = query;
    const { rows } = await sql<ToolSlot>`
      select toolset, tool, slot, sum(calls)::float8 as calls, sum(errors)::float8 as errors,
        sum(duration_us)::float8 as "durationUs"
      from parley_call_rollups where organization_id = ${organizationId} and tool <> ''
        and step_ms = ${stepMs} and bucket >= ${from} and bucket < ${to}
      group by toolset, tool, slot`.execute(this.#db);
    return rows;
  }

  async size(): Promise<{ rows: number; bytes: number }> {
    // The table itself tells nothing: what deleted rows took is used again, and never given back.
    const { rows } = await sql<{ rows: number; row_bytes: number }>`
      select coalesce(max(id) - min(id) + 1, 0)::float8 as rows, (
        select coalesce(avg(pg_column_size(sample.*) + coalesce(pg_column_size(detail.*), 0)), 0)::float8 from (
          (select * from parley_calls order by id limit ${SAMPLE_ROWS})
          union all (select * from parley_calls order by id desc limit ${SAMPLE_ROWS})) as sample
          left join parley_call_details as detail on detail.id = sample.id
      ) as row_bytes from parley_calls`.execute(this.#db);
    const [found = { rows: 0, row_bytes: 0 }] = rows;
    return { rows: found.rows, bytes: found.rows * (found.row_bytes + ROW_OVERHEAD_BYTES) };
  }

  async prune({ olderThan, maxRows, isOver }: PruneLimits): Promise<number> {
    // What is deleted stays in the index until it is vacuumed, so each batch begins where the last one ended.
    let from = 0;
    for (let deleted = 0; ;) {
      const startedMs = performance.now();
      const { rows } = await sql<{ calls: number; first_left: number | null }>`
        with turn as materialized (select pg_try_advisory_xact_lock(${PRUNE_LOCK}) as is_ours),
        bounds as materialized (
          select (select min(id) from parley_calls where id >= ${from}) + ${PRUNE_ROWS} as first_left,
            (select max(id) from parley_calls) - ${maxRows} as last_gone),
        gone as (
          delete from parley_calls using bounds where (select is_ours from turn)
            and id >= ${from} and id < first_left and (id <= last_gone or at < ${olderThan}) returning id),
        details as (delete from parley_call_details where id in (select id from gone))
        select (select count(*) from gone)::float8 as calls, first_left from bounds`.execute(this.#writing);
      const [{ calls, first_left: next } = { calls: 0, first_left: null }] = rows;
      deleted += calls;
      if (calls === 0 || isOver()) {
        if (deleted > 0) await this.#removeKinds();
        return deleted;
      }
      from = next ?? from;
      await pauseAfter(startedMs);
    }
  }

  async pruneRollups(stepMs: number, before: number): Promise<void> {
    for (;;) {
      const startedMs = performance.now();
      const { numAffectedRows = 0n } = await sql`
        delete from parley_call_rollups where ctid = any(array(
          select ctid from parley_call_rollups where step_ms = ${stepMs} and bucket < ${before}
          order by bucket limit ${PRUNE_ROWS} for update skip locked))`.execute(this.#writing);
      if (numAffectedRows < PRUNE_ROWS) return;
      await pauseAfter(startedMs);
    }
  }

  async forget(organizationId: string): Promise<number> {
    let deleted = 0;
    for (;;) {
      const startedMs = performance.now();
      const { rows } = await sql<{ calls: number }>`
        with gone as (
          delete from parley_calls where id in (
            select id from parley_call_records where organization_id = ${organizationId} limit ${PRUNE_ROWS})
          returning id),
        details as (delete from parley_call_details where id in (select id from gone))
        select count(*)::float8 as calls from gone`.execute(this.#writing);
      const calls = rows[0]?.calls ?? 0;
      if (calls === 0) break;
      deleted += calls;
      await pauseAfter(startedMs);
    }
    await sql`delete from parley_call_rollups where organization_id = ${organizationId}`.execute(
      this.#writing,
    );
    await sql`delete from parley_call_kinds where organization_id = ${organizationId}`.execute(this.#writing);
    return deleted;
  }

  async close(): Promise<void> {}

  async #kindsOf(records: readonly NewCallRecord[]): Promise<(record: NewCallRecord) => number> {
    const ids = new Map<NewCallRecord, number>();
    const unknown: NewCallRecord[] = [];
    for (const record of records) {
      const id = this.#kinds.idOf(record);
      if (id === undefined) unknown.push(record);
      else ids.set(record, id);
    }
    if (unknown.length > 0) {
      const { rows } = await this.#writing.executeQuery<{ id: number; key: string }>(
        CompiledQuery.raw(KINDS_SQL, kindColumns(unknown)),
      );
      const byKey = new Map(rows.map(({ id, key }) => [key, id]));
      for (const record of unknown) {
        const id = byKey.get(storedKey(record)) ?? 0;
        this.#kinds.learn(record, id);
        ids.set(record, id);
      }
    }
    return (record) => ids.get(record) ?? 0;
  }

  #page(query: RecordQuery) {
    const { before, after, limit } = query;
    return matching(this.#db.selectFrom('parley_call_records'), query)
      .select([
        'id',
        'at',
        'source',
        'toolset',
        'tool',
        'method',
        'effect',
        'outcome',
        'code',
        'era',
        'client',
      ])
      .select(['organization_id as organizationId', 'caller_id as callerId', 'user_id as userId'])
      .select(['duration_us as durationUs', 'request_id as requestId', 'virtual_mcp_id as virtualMcpId'])
      .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
      .$if(after !== undefined, (rows) => rows.where('id', '>', after ?? 0))
      .orderBy('id', query.oldestFirst === true ? 'asc' : 'desc')
      .limit(limit);
  }

  /** Lets go of the kinds that no record has any more. */
  async #removeKinds(): Promise<void> {
    const { rows } = await sql<{ at: number }>`select at from parley_calls order by id limit 1`.execute(
      this.#writing,
    );
    const [oldest] = rows;
    if (oldest === undefined) return;
    await sql`delete from parley_call_kinds where used_minute < ${lastMinuteWithout(oldest.at)}`.execute(
      this.#writing,
    );
  }
}

type Records<Shown> = SelectQueryBuilder<RecordTables, 'parley_call_records', Shown>;

function matching<Shown>(rows: Records<Shown>, filter: RecordFilter): Records<Shown> {
  const { toolset, tool, callerId, outcome, isError, virtualMcpId, since, until } = filter;
  const { toolsets, tools, callerIds, virtualMcpIds, exceptToolsets } = filter;
  const { source, effect, code, userId, requestId, toolPart, minDurationUs } = filter;
  const among = (texts: readonly string[] | undefined) => sql<string>`any(${texts ?? []}::text[])`;
  return rows
    .where('organization_id', '=', filter.organizationId)
    .$if(toolset !== undefined, (all) => all.where('toolset', '=', toolset ?? ''))
    .$if(tool !== undefined, (all) => all.where('tool', '=', tool ?? ''))
    .$if(callerId !== undefined, (all) => all.where('caller_id', '=', callerId ?? ''))
    .$if(outcome !== undefined, (all) => all.where('outcome', '=', outcome ?? 'ok'))
    .$if(isError === true, (all) => all.where('outcome', 'in', ['error', 'denied']))
    .$if(isError === false, (all) => all.where('outcome', 'not in', ['error', 'denied']))
    .$if(virtualMcpId !== undefined, (all) => all.where('virtual_mcp_id', '=', virtualMcpId ?? ''))
    .$if(source !== undefined, (all) => all.where('source', '=', source ?? ''))
    .$if(effect !== undefined, (all) => all.where('effect', '=', effect ?? ''))
    .$if(code !== undefined, (all) => all.where('code', '=', code ?? ''))
    .$if(userId !== undefined, (all) => all.where('user_id', '=', userId ?? ''))
    .$if(requestId !== undefined, (all) => all.where('request_id', '=', requestId ?? ''))
    .$if(toolPart !== undefined, (all) =>
      all.where(sql`strpos(lower(tool), ${(toolPart ?? '').toLowerCase()})`, '>', 0),
    )
    .$if(minDurationUs !== undefined, (all) => all.where('duration_us', '>=', minDurationUs ?? 0))
    .$if(toolsets !== undefined, (all) => all.where('toolset', '=', among(toolsets)))
    .$if(tools !== undefined, (all) => all.where('tool', '=', among(tools)))
    .$if(callerIds !== undefined, (all) => all.where('caller_id', '=', among(callerIds)))
    .$if(virtualMcpIds !== undefined, (all) => all.where('virtual_mcp_id', '=', among(virtualMcpIds)))
    .$if(exceptToolsets !== undefined, (all) =>
      all.where('toolset', '!=', sql<string>`all(${exceptToolsets ?? []}::text[])`),
    )
    .$if(since !== undefined, (all) => all.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (all) => all.where('at', '<=', until ?? 0));
}
