/** The statements that write a batch of call records on PostgreSQL: one array per column, the rollups in the same statement. */
import { DETAIL_COLUMNS, packDetail } from '../records/packed-detail.ts';
import { minuteOf, KIND_COLUMNS, kindValues, storedKey } from '../records/record-kinds.ts';
import type { NewCallRecord, RecordRow } from '../records/record-table.ts';
import { ROLLUPS } from '../records/record-table.ts';

/** In the order of the keys, so that two servers which write the same kinds wait for each other and never in a circle. */
export const KINDS_SQL = `insert into parley_call_kinds (key, used_minute, ${KIND_COLUMNS.join(', ')})
  select * from unnest($1::text[], $2::bigint[], ${KIND_COLUMNS.map((_, index) => `$${index + 3}::text[]`).join(', ')})
  as given (key, used_minute, ${KIND_COLUMNS.join(', ')}) order by key
  on conflict (key) do update set used_minute = greatest(parley_call_kinds.used_minute, excluded.used_minute) returning id, key`;

export const ROWS_SQL = `
with given as materialized (
  select nextval(pg_get_serial_sequence('parley_calls', 'id')) as id, rows.*
  from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::text[])
  as rows (at, kind_id, duration_us, request_id, has_detail, input, output, more)),
stored as (
  insert into parley_calls (id, at, kind_id, duration_us, request_id)
  select id, at, kind_id, duration_us, request_id from given),
detailed as (
  insert into parley_call_details (id, input, output, more)
  select id, input, output, more from given where has_detail),
batch as (
  select kind_id, at / 60000 * 60000 as minute, floor(ln(duration_us + 1) / ln(2) * 4)::integer as slot,
    count(*) as calls, sum(duration_us) as duration_us from given group by 1, 2, 3),
named as (
  select organization_id, toolset, tool, method, outcome, minute, slot, calls, duration_us,
    case when outcome in ('error', 'denied') then calls else 0 end as errors
  from batch join parley_call_kinds on parley_call_kinds.id = kind_id),
parts as (
  select organization_id, '' as toolset, '' as tool, minute, slot, calls, errors, duration_us from named
  union all select organization_id, toolset, tool, minute, slot, calls, errors, duration_us from named
  where outcome <> 'denied' and method <> 'resources/read')
insert into parley_call_rollups as known
select organization_id, toolset, tool, step_ms, minute / step_ms * step_ms, slot, sum(calls)::bigint, sum(errors)::bigint,
  sum(duration_us)::bigint
from parts cross join (values ${ROLLUPS.map(({ stepMs }) => `(${stepMs}::bigint)`).join(', ')}) as steps (step_ms)
group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
on conflict (organization_id, toolset, tool, step_ms, bucket, slot) do update set calls = known.calls + excluded.calls,
  errors = known.errors + excluded.errors, duration_us = known.duration_us + excluded.duration_us`;

/** The arrays of `KINDS_SQL`, each kind once. */
export function kindColumns(records: readonly NewCallRecord[]): unknown[][] {
  const byKey = new Map<string, NewCallRecord>();
  for (const record of records) {
    const key = storedKey(record);
    const other = byKey.get(key);
    if (other === undefined || other.at < record.at) byKey.set(key, record);
  }
  const kinds = [...byKey.values()].map(kindValues);
  return [
    [...byKey.keys()],
    [...byKey.values()].map(({ at }) => minuteOf(at)),
    ...KIND_COLUMNS.map((_, column) => kinds.map((values) => storable(values[column] ?? null))),
  ];
}

/** The arrays of `ROWS_SQL`. */
export function rowColumns(
  rows: readonly RecordRow[],
  kindOf: (record: NewCallRecord) => number,
): unknown[][] {
  const details = rows.map(({ detail }) => detail && packDetail(detail));
  return [
    rows.map(({ record }) => record.at),
    rows.map(({ record }) => kindOf(record)),
    rows.map(({ record }) => record.durationUs),
    rows.map(({ record }) => storable(record.requestId)),
    details.map((detail) => detail !== undefined),
    ...DETAIL_COLUMNS.map((column) => details.map((detail) => storable(detail?.[column]))),
  ];
}

// PostgreSQL refuses a text with a zero character, and one such text would lose the whole batch.
function storable(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}
