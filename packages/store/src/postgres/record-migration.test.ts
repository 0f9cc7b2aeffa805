/** The wide table of call records on PostgreSQL is split: every record stays, is counted, and new ones follow. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { callRecord } from '../../test/call-record.ts';
import { openStore } from '../open-store.ts';
import { scratchDatabase } from '../testing/index.ts';
import { splitCallRecords } from './record-migration.ts';

const BACK = [
  'drop view parley_call_records',
  'drop table parley_calls, parley_call_kinds, parley_call_details, parley_call_rollups',
  `create table parley_call_records (
    id bigserial primary key, at bigint not null, organization_id text not null, caller_id text not null,
    source text not null, toolset text not null, tool text not null, method text not null, outcome text not null,
    code text, duration_us bigint not null, era text not null, client text, request_id text)`,
];

test('records of the wide table keep their ids and are counted, and new ones follow', async () => {
  const { options, remove } = await scratchDatabase('postgres');
  const store = await openStore(options);
  await store.migrate([]);
  for (const statement of BACK) await sql.raw(statement).execute(store.db());
  await sql`insert into parley_call_records (at, organization_id, caller_id, source, toolset, tool, method, outcome, code,
      duration_us, era, request_id)
    select ${Date.now()}, 'org_a', 'key_1', 'key', 'notes', 'tool ' || i % 3, 'tools/call',
      case when i % 2 = 0 then 'error' else 'ok' end, case when i % 2 = 0 then 'invalid' end, 5, 'modern', i
    from generate_series(1, 900) as i`.execute(store.db());
  await splitCallRecords(store.db());
  const { records } = store;
  records.append(callRecord({ requestId: 'new' }));
  await records.flush();
  const [newest, last] = await records.list({ organizationId: 'org_a', limit: 2 });
  expect(newest).toMatchObject({ id: 901, requestId: 'new' });
  expect(last).toMatchObject({ id: 900, requestId: '900', tool: 'tool 0', code: 'invalid', client: null });
  expect(await records.count({ organizationId: 'org_a', tool: 'tool 1' })).toBe(300);
  expect(await records.stats({ organizationId: 'org_a' })).toMatchObject({ calls: 901, errors: 450 });
  await store.close();
  await remove();
});

test('an empty wide table is split too', async () => {
  const { options, remove } = await scratchDatabase('postgres');
  const store = await openStore(options);
  await store.migrate([]);
  store.records.append(callRecord());
  await store.records.flush();
  expect(await store.records.list({ organizationId: 'org_a', limit: 2 })).toMatchObject([{ id: 1 }]);
  await store.close();
  await remove();
});
