/** Splits the wide table of call records on PostgreSQL: kinds once, calls that name them, details and rollups beside. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { AnyTables } from '../engine.ts';

const STATEMENTS = [
  `create table parley_call_kinds (
    id bigserial primary key, key text not null unique, used_minute bigint not null, organization_id text not null,
    caller_id text not null, user_id text, source text not null, toolset text not null, tool text not null,
    method text not null, effect text, outcome text not null, code text, era text not null, client text,
    virtual_mcp_id text)`,
  'create index parley_call_kinds_by_organization on parley_call_kinds (organization_id)',
  `create table parley_calls (
    id bigserial primary key, at bigint not null, kind_id bigint not null, duration_us bigint not null,
    request_id text)`,
  'create index parley_calls_by_kind on parley_calls (kind_id, id)',
  `create table parley_call_details (
    id bigint primary key, input text, output text, more text)`,
  `create table parley_call_rollups (
    organization_id text not null, toolset text not null, tool text not null, step_ms bigint not null,
    bucket bigint not null, slot integer not null, calls bigint not null, errors bigint not null,
    duration_us bigint not null, primary key (organization_id, toolset, tool, step_ms, bucket, slot))`,
  'create index parley_call_rollups_by_age on parley_call_rollups (step_ms, bucket)',
  `insert into parley_call_kinds (key, used_minute, organization_id, caller_id, source, toolset, tool, method, outcome, code,
      era, client)
    select md5(wide.kind::text), max(at) / 60000, organization_id, caller_id, source, toolset, tool, method, outcome,
      code, era, client
    from (select *, row(organization_id, caller_id, source, toolset, tool, method, outcome, code, era, client) as kind
      from parley_call_records) as wide
    group by 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`,
  `insert into parley_calls (id, at, kind_id, duration_us, request_id)
    select wide.id, at, known.id, duration_us, request_id
    from parley_call_records as wide join parley_call_kinds as known on known.key = md5(row(wide.organization_id,
      wide.caller_id, wide.source, wide.toolset, wide.tool, wide.method, wide.outcome, wide.code, wide.era,
      wide.client)::text)`,
  `select setval(pg_get_serial_sequence('parley_calls', 'id'), max(id)) from parley_calls having max(id) is not null`,
  `insert into parley_call_rollups
    select organization_id, part.toolset, part.tool, step_ms, at / step_ms * step_ms as bucket,
      floor(ln(duration_us + 1) / ln(2) * 4)::integer as slot, count(*),
      count(*) filter (where outcome in ('error', 'denied')), sum(duration_us)::bigint
    from parley_call_records as wide
      cross join lateral (values ('', '', true),
        (toolset, tool, outcome <> 'denied' and method <> 'resources/read')) as part (toolset, tool, is_counted)
      cross join (values (60000::bigint), (3600000::bigint)) as steps (step_ms)
    where is_counted group by 1, 2, 3, 4, 5, 6`,
  'drop table parley_call_records',
  `create view parley_call_records as
    select parley_calls.id, at, organization_id, caller_id, user_id, source, toolset, tool, method, effect, outcome,
      code, duration_us, era, client, request_id, virtual_mcp_id
    from parley_calls join parley_call_kinds on parley_call_kinds.id = kind_id`,
];

export async function splitCallRecords(db: Kysely<AnyTables>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
