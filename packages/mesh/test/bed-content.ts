/** Everything that a store holds, to see what a call has changed. */
import type { AnyTables, Store } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';

/** The rows of every table, each as JSON, in an order that does not depend on the database. */
export type BedTables = Readonly<Record<string, readonly string[]>>;

/** What is no state: the probe of a health check, and messages between processes, which are no rows on PostgreSQL. */
const PASSING = new Set(['parley_probe', 'parley_signals']);

/** Every row of every table and, under `records`, how many calls are on record. */
export async function tablesOf(store: Store): Promise<BedTables> {
  const names = await namesOf(store);
  const read = byEngine(store.engine, { sqlite: rowsOneByOne, postgres: rowsAtOnce });
  const rows = await read(store, names);
  const found = names.map((name) => [name, (rows.get(name) ?? []).map(rowText).toSorted()] as const);
  await store.records.flush();
  // On SQLite they are in a file of their own; none is ever changed.
  return { ...Object.fromEntries(found), records: [String(await store.records.count())] };
}

/** Known by store: asking the database for its tables takes longer than reading them. */
const known = new WeakMap<Store, readonly string[]>();

async function namesOf(store: Store): Promise<readonly string[]> {
  const before = known.get(store);
  if (before !== undefined) return before;
  const tables = await store.db<AnyTables>().introspection.getTables();
  // Databases of connections are schemas of their own on PostgreSQL.
  const own = tables.filter(({ schema = 'public' }) => schema === 'public');
  const names = own.map(({ name }) => name).filter((name) => !PASSING.has(name));
  known.set(store, names.toSorted());
  return names.toSorted();
}

type Rows = ReadonlyMap<string, readonly object[]>;

async function rowsOneByOne(store: Store, names: readonly string[]): Promise<Rows> {
  const rows = new Map<string, object[]>();
  for (const name of names)
    rows.set(name, await store.db<AnyTables>().selectFrom(name).selectAll().execute());
  return rows;
}

/** In one question, which is much less work where the database is at the other end of a socket. */
async function rowsAtOnce(store: Store, names: readonly string[]): Promise<Rows> {
  const parts = names.map(
    (name) => sql`select ${name}::text as name, row_to_json(t) as row from ${sql.table(name)} t`,
  );
  const all = sql<{ name: string; row: object }>`${sql.join(parts, sql` union all `)}`;
  const { rows } = await all.execute(store.db());
  const byName = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byName].map(([name, found]) => [name, found.map(({ row }) => row)]));
}

/** A row without the note of when a key was used, which is written off the path of the call. */
function rowText(row: object): string {
  return JSON.stringify('last_used_at' in row ? { ...row, last_used_at: null } : row);
}
