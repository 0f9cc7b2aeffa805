/** What was agreed to before the gateway came stays agreed to, and what had changed since waits for a fresh look, on both databases. */
import { identityMigrations } from '@parley/identity';
import type { Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { ConnectionTables } from '../schema.ts';
import { connectionMigrations } from './index.ts';

const NOW = 1_800_000_000_000;
const TOOL = { inputSchema: { type: 'object' } };

/** The tables as they were, with a connection in them. */
async function before(store: Store): Promise<void> {
  const { '004-gateway': _new, ...migrations } = connectionMigrations.migrations;
  await store.migrate([identityMigrations, { ...connectionMigrations, migrations }]);
  const db = store.db<Record<string, Record<string, unknown>>>();
  const times = { created_at: NOW, updated_at: NOW };
  await db
    .insertInto('organizations')
    .values({ id: 'org_1', slug: 'one', name: 'One', created_at: NOW })
    .execute();
  await db
    .insertInto('connections')
    .values({
      id: 'conn_1',
      organization_id: 'org_1',
      title: 'Web',
      connection_type: 'HTTP',
      status: 'active',
      catalog: '{"fetched_at":null,"stale":false,"last_error":null}',
      created_by: 'usr_1',
      ...times,
    })
    .execute();
  const place = { connection_id: 'conn_1', organization_id: 'org_1' };
  const pin = (tool_name: string, state: string, approved_at: number | null) => ({
    ...place,
    tool_name,
    definition_hash: `hash of ${tool_name}`,
    definition: JSON.stringify({ name: tool_name, ...TOOL }),
    state,
    approved_by: approved_at === null ? null : 'usr_1',
    approved_at,
  });
  await db
    .insertInto('tool_pins')
    .values([
      pin('A', 'approved', NOW),
      pin('B', 'changed', NOW),
      pin('C', 'new', null),
      pin('D', 'removed', NOW),
    ])
    .execute();
  const body = JSON.stringify([{ name: 'A', ...TOOL }]);
  await db
    .insertInto('connection_catalogs')
    .values({ ...place, kind: 'tools', body, hash: 'hash of the list', fetched_at: NOW })
    .execute();
}

onBothEngines('the tables of the gateway', (open) => {
  test('are made over those that are there', async () => {
    const store = await open();
    await before(store);
    await store.migrate([identityMigrations, connectionMigrations]);
    const db = store.db<ConnectionTables>();
    const pins = await db.selectFrom('tool_pins').selectAll().orderBy('tool_name').execute();
    const [A, B, C, D] = pins;
    expect(A).toMatchObject({
      state: 'approved',
      definition_hash: 'hash of A',
      approved_hash: 'hash of A',
      approved_definition: A?.definition,
    });
    // What it is now has another hash than this, which nobody could agree to.
    expect(B).toMatchObject({
      state: 'changed',
      definition_hash: '',
      approved_hash: 'hash of B',
      approved_definition: null,
    });
    expect(C).toMatchObject({ state: 'new', definition_hash: 'hash of C', approved_hash: null });
    expect(D).toMatchObject({ state: 'removed', approved_hash: 'hash of D' });
    const catalog = await db.selectFrom('connection_catalogs').select('hash').executeTakeFirst();
    expect(catalog).toEqual({ hash: '' });
    expect(await db.selectFrom('connections').select('egress_allow').execute()).toEqual([
      { egress_allow: null },
    ]);
    expect(await db.selectFrom('connection_refreshes').selectAll().execute()).toEqual([]);
  });
});
