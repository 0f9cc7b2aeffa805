/** Rows that belong to one owner, wherever they are: every table with the owner's column has its part in a deletion. */
import { sql } from 'kysely';
import { byEngine } from './columns.ts';
import type { Queryable, StoreTransaction } from './store.ts';

/** A table, and one that has to keep its rows until those of the first are gone. */
interface Reference {
  readonly name: string;
  readonly parent: string | null;
}

// Full-text tables follow the tables that they index; the names of their parts are no tables of ours.
const SQLITE_TABLES = (column: string) => sql<Reference>`
  select m.name as name, f."table" as parent from sqlite_master m
  left join pragma_foreign_key_list(m.name) f
  where m.type = 'table' and m.sql not like 'create virtual%'
  and exists (select 1 from pragma_table_info(m.name) c where c.name = ${column})`;

const POSTGRES_TABLES = (column: string) => sql<Reference>`
  select t.relname as name, p.relname as parent from pg_class t
  join pg_attribute a on a.attrelid = t.oid and a.attname = ${column} and not a.attisdropped
  left join pg_constraint f on f.conrelid = t.oid and f.contype = 'f'
  left join pg_class p on p.oid = f.confrelid
  where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace`;

/** The tables with this column, those that refer to others before those they refer to. */
export async function tablesWith(from: Queryable, column: string): Promise<string[]> {
  const query = byEngine(from.engine, { sqlite: SQLITE_TABLES, postgres: POSTGRES_TABLES })(column);
  const { rows } = await query.execute(from.db());
  const left = new Map(
    [...Map.groupBy(rows, ({ name }) => name)].map(([name, own]) => [name, own.map(({ parent }) => parent)]),
  );
  const ordered: string[] = [];
  while (left.size > 0) {
    const isReferred = (name: string) =>
      [...left].some(([other, parents]) => other !== name && parents.includes(name));
    // Tables that refer to each other in a circle can only be left to their cascades.
    const free = [...left.keys()].filter((name) => !isReferred(name)).toSorted();
    const next = free.length > 0 ? free : [...left.keys()];
    for (const name of next) left.delete(name);
    ordered.push(...next);
  }
  return ordered;
}

/** Deletes what the owner has in every table with the column; no table has to be told of it, so none is forgotten. */
export async function deleteOwned(tx: StoreTransaction, column: string, owner: string): Promise<void> {
  const tables = await tablesWith(tx, column);
  // Triggers that count rows write to tables that were emptied before.
  for (let isLeft = true; isLeft;) {
    isLeft = false;
    for (const table of tables) {
      const remove = sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${owner}`;
      const { numAffectedRows = 0n } = await remove.execute(tx.db());
      isLeft ||= numAffectedRows > 0n;
    }
  }
}
