/** Call records on PostgreSQL: one insert per batch, one array per column. */
import { CompiledQuery, sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { AnyTables } from '../engine.ts';
import type { NewCallRecord, RecordQuery, RecordTable, StoredCallRecord } from '../records/record-table.ts';

const PRUNE_ROWS = 5_000;
const SAMPLE_ROWS = 500;
// What the indexes and the page take for a row.
const ROW_OVERHEAD_BYTES = 100;

const INSERT_SQL = `insert into parley_call_records (at, organization_id, caller_id, source, toolset, tool, method, outcome,
  code, duration_us, era, client, request_id) select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[],
  $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[])`;

interface RecordTables {
  readonly parley_call_records: {
    id: number;
    at: number;
    organization_id: string;
    caller_id: string;
    source: string;
    toolset: string;
    tool: string;
    method: string;
    outcome: NewCallRecord['outcome'];
    code: string | null;
    duration_us: number;
    era: string;
    client: string | null;
    request_id: string | null;
  };
}

/** The records of one database. */
export class PostgresRecordTable implements RecordTable {
  readonly chunkRows = 1_000;
  readonly #db: Kysely<RecordTables>;

  constructor(db: Kysely<AnyTables>) {
    this.#db = db;
  }

  async write(rows: NewCallRecord[]): Promise<number> {
    const usable = rows.filter((row) => Number.isSafeInteger(row.at) && Number.isSafeInteger(row.durationUs));
    await this.#db.executeQuery(CompiledQuery.raw(INSERT_SQL, columnsOf(usable)));
    return rows.length - usable.length;
  }

  list(query: RecordQuery): Promise<StoredCallRecord[]> {
    const { organizationId, tool, callerId, outcome, since, until, before, limit } = query;
    return this.#db
      .selectFrom('parley_call_records')
      .select(['id', 'at', 'source', 'toolset', 'tool', 'method', 'outcome', 'code', 'era', 'client'])
      .select(['organization_id as organizationId', 'caller_id as callerId'])
      .select(['duration_us as durationUs', 'request_id as requestId'])
      .where('organization_id', '=', organizationId)
      .$if(tool !== undefined, (rows) => rows.where('tool', '=', tool ?? ''))
      .$if(callerId !== undefined, (rows) => rows.where('caller_id', '=', callerId ?? ''))
      .$if(outcome !== undefined, (rows) => rows.where('outcome', '=', outcome ?? 'ok'))
      .$if(since !== undefined, (rows) => rows.where('at', '>=', since ?? 0))
      .$if(until !== undefined, (rows) => rows.where('at', '<=', until ?? 0))
      .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? 0))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  async count(): Promise<number> {
    const { total } = await this.#db
      .selectFrom('parley_call_records')
      .select((rows) => rows.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  async size(): Promise<{ rows: number; bytes: number }> {
    // The table itself tells nothing: what deleted rows took is used again, and never given back.
    const { rows } = await sql<{ rows: number; row_bytes: number }>`
      select coalesce(max(id) - min(id) + 1, 0)::float8 as rows, (
        select coalesce(avg(pg_column_size(sample)), 0)::float8 from (
          (select * from parley_call_records order by id limit ${SAMPLE_ROWS})
          union all (select * from parley_call_records order by id desc limit ${SAMPLE_ROWS})) as sample
      ) as row_bytes from parley_call_records`.execute(this.#db);
    const [found = { rows: 0, row_bytes: 0 }] = rows;
    return { rows: found.rows, bytes: found.rows * (found.row_bytes + ROW_OVERHEAD_BYTES) };
  }

  async prune(olderThan: number, maxRows: number): Promise<number> {
    for (let deleted = 0; ;) {
      const { numAffectedRows = 0n } = await sql`
        delete from parley_call_records
        where id < (select min(id) from parley_call_records) + ${PRUNE_ROWS}
        and (id <= (select max(id) from parley_call_records) - ${maxRows} or at < ${olderThan})`.execute(
        this.#db,
      );
      if (numAffectedRows === 0n) return deleted;
      deleted += Number(numAffectedRows);
    }
  }

  async forget(organizationId: string): Promise<number> {
    for (let deleted = 0; ;) {
      const { numAffectedRows = 0n } = await sql`
        delete from parley_call_records where id in (
          select id from parley_call_records where organization_id = ${organizationId} limit ${PRUNE_ROWS})`.execute(
        this.#db,
      );
      if (numAffectedRows === 0n) return deleted;
      deleted += Number(numAffectedRows);
    }
  }

  async close(): Promise<void> {}
}

function columnsOf(rows: NewCallRecord[]): unknown[][] {
  return [
    rows.map((row) => row.at),
    rows.map((row) => storable(row.organizationId)),
    rows.map((row) => storable(row.callerId)),
    rows.map((row) => storable(row.source)),
    rows.map((row) => storable(row.toolset)),
    rows.map((row) => storable(row.tool)),
    rows.map((row) => storable(row.method)),
    rows.map((row) => row.outcome),
    rows.map((row) => storable(row.code)),
    rows.map((row) => row.durationUs),
    rows.map((row) => storable(row.era)),
    rows.map((row) => storable(row.client)),
    rows.map((row) => storable(row.requestId)),
  ];
}

// PostgreSQL refuses a text with a zero character, and one such text would lose the whole batch.
function storable(text: string | null): string | null {
  return text?.includes('\0') ? text.replaceAll('\0', '') : text;
}
