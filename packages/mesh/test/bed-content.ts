/** Everything that a store holds, to see what a call has changed. */
import type { AnyTables, Store } from '@parley/store';

/** The rows of every table, each as JSON, in an order that does not depend on the database. */
export type BedTables = Readonly<Record<string, readonly string[]>>;

/** What is no state: the probe of a health check, and messages between processes, which are no rows on PostgreSQL. */
const PASSING = new Set(['parley_probe', 'parley_signals']);

/** Every row of every table and, under `records`, how many calls are on record. */
export async function tablesOf(store: Store): Promise<BedTables> {
  const db = store.db<AnyTables>();
  const tables = await db.introspection.getTables();
  // Databases of connections are schemas of their own on PostgreSQL.
  const own = tables.filter(({ schema = 'public' }) => schema === 'public');
  const names = own.map(({ name }) => name).filter((name) => !PASSING.has(name));
  const found = await Promise.all(
    names.toSorted().map(async (name) => {
      const rows = await db.selectFrom(name).selectAll().execute();
      return [name, rows.map(rowText).toSorted()] as const;
    }),
  );
  await store.records.flush();
  // On SQLite they are in a file of their own; none is ever changed.
  return { ...Object.fromEntries(found), records: [String(await store.records.count())] };
}

/** A row without the note of when a key was used, which is written off the path of the call. */
function rowText(row: object): string {
  return JSON.stringify('last_used_at' in row ? { ...row, last_used_at: null } : row);
}
