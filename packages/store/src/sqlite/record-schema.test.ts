/** A records file of one wide table, as earlier versions wrote it, is read and written on in the shape of today. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { callRecord } from '../../test/call-record.ts';
import { openStore } from '../open-store.ts';
import { scratchDatabase } from '../testing/index.ts';

const WIDE_SQL = `create table call_records (
  id integer primary key, at integer not null, organization_id text not null, caller_id text not null,
  source text not null, toolset text not null, tool text not null, method text not null, outcome text not null,
  code text, duration_us integer not null, era text not null, client text, request_id text)`;

test('the records of a wide table keep their ids and are counted, and new ones follow', async () => {
  const { options, remove } = await scratchDatabase('sqlite');
  const path = join(options.dataDir, 'records.db');
  const wide = new Database(path);
  wide.exec(WIDE_SQL);
  const insert = wide.prepare(
    `insert into call_records (at, organization_id, caller_id, source, toolset, tool, method, outcome, code, duration_us,
      era, client, request_id) values (?, 'org_a', 'key_1', 'key', 'notes', ?, 'tools/call', ?, ?, 5, 'modern', null, ?)`,
  );
  const now = Date.now();
  for (let index = 0; index < 4_500; index += 1)
    insert.run(
      now,
      `tool ${index % 3}`,
      index % 2 ? 'ok' : 'error',
      index % 2 ? null : 'invalid',
      String(index),
    );
  wide.close();

  const store = await openStore(options);
  store.records.append(callRecord({ requestId: 'new' }));
  await store.records.flush();
  expect(await store.records.count({ organizationId: 'org_a' })).toBe(4_501);
  const [newest, last] = await store.records.list({ organizationId: 'org_a', limit: 2 });
  expect(newest).toMatchObject({ id: 4_501, requestId: 'new' });
  expect(last).toMatchObject({ id: 4_500, requestId: '4499', tool: 'tool 2', outcome: 'ok', userId: null });
  expect(await store.records.stats({ organizationId: 'org_a' })).toMatchObject({
    calls: 4_501,
    errors: 2_250,
  });
  await store.close();
  const file = new Database(path, { readonly: true });
  expect(file.prepare('select count(*) as total from call_records').get()).toEqual({ total: 4_501 });
  expect(file.prepare("select name from sqlite_master where name = 'wide_records'").all()).toEqual([]);
  file.close();
  await remove();
});
