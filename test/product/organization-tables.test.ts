/** Nothing of a deleted organization is left in any table of any toolset. */
import type { Store } from '@parley/store';
import { deleteOwned, tablesWith } from '@parley/store';
import { onBothEngines, scratchStore } from '@parley/store/testing';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { allToolsets, migrationsOf } from '../../apps/server/src/start/host.ts';

const OWNER = 'organization_id';

async function migrated<Opened extends Store>(store: Opened): Promise<Opened> {
  await store.migrate(migrationsOf(await allToolsets({})));
  return store;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** A row of the organization, whatever the table is: every column that must have a value gets one. */
async function plant(db: ReturnType<Store['db']>, table: string, organizationId: string): Promise<void> {
  const { rows } = await sql<Column>`select * from pragma_table_info(${table})`.execute(db);
  const columns = rows.filter(({ name, notnull, pk }) => notnull === 1 || pk > 0 || name === OWNER);
  const values = columns.map(({ name, type }) => {
    if (name === OWNER) return organizationId;
    return /int/i.test(type) ? Number(organizationId.slice(-1)) : `${table}.${name}.${organizationId}`;
  });
  const names = sql.join(columns.map(({ name }) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(values)})`.execute(db);
}

async function countIn(db: ReturnType<Store['db']>, table: string, organizationId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ${sql.table(table)} where ${sql.ref(OWNER)} = ${organizationId}`.execute(
    db,
  );
  return Number(rows[0]?.total);
}

class Enough extends Error {}

onBothEngines('the tables of organizations', (open) => {
  test('every table that names an organization is found, whoever brought it', async () => {
    const store = await migrated(await open());
    const found = await tablesWith(store, OWNER);
    const all = await store.db<Record<string, object>>().introspection.getTables();
    const named = all.filter(({ columns, isView }) => !isView && columns.some(({ name }) => name === OWNER));
    expect(found.toSorted()).toEqual(named.map(({ name }) => name).toSorted());
    expect(found).toEqual(
      expect.arrayContaining(['api_keys', 'audit_log', 'feedback_posts', 'tasks', 'webhooks']),
    );
    expect(found.indexOf('member_roles')).toBeLessThan(found.indexOf('members'));
    expect(found.indexOf('annotations')).toBeLessThan(found.indexOf('annotation_sessions'));
  });
});

// SQLite alone lets rows in that refer to nothing, so that every table can have one.
test('a deletion empties each of them, and no row of another organization', async () => {
  await using store = await migrated(await scratchStore());
  const work = store.transaction(async (tx) => {
    const db = tx.db();
    await sql`pragma defer_foreign_keys = on`.execute(db);
    await sql`pragma ignore_check_constraints = on`.execute(db);
    const tables = await tablesWith(tx, OWNER);
    for (const table of tables) for (const id of ['org_1', 'org_2']) await plant(db, table, id);
    for (const table of tables) expect(await countIn(db, table, 'org_1'), table).toBeGreaterThan(0);
    const kept = await Promise.all(tables.map((table) => countIn(db, table, 'org_2')));
    await deleteOwned(tx, OWNER, 'org_1');
    for (const table of tables) expect(await countIn(db, table, 'org_1'), table).toBe(0);
    expect(await Promise.all(tables.map((table) => countIn(db, table, 'org_2')))).toEqual(kept);
    // The rows refer to nothing, so they must not be kept.
    throw new Enough();
  });
  await expect(work).rejects.toBeInstanceOf(Enough);
});
