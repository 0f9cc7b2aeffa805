/** Many rows in one statement: values as a table whose text is the same for one row and for hundreds. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { byEngine } from './columns.ts';
import type { StoreEngine, StoreTransaction } from './store.ts';

/** The types that columns of such a table may have. */
export type RowTableType = 'text' | 'integer' | 'bigint' | 'double precision';

/** The columns of the table by name, in their order. */
export type RowTableColumns<Row> = { readonly [Column in keyof Row & string]: RowTableType };

/** The rows as a table with a name, for `from`, `join` and `insert .. select`. */
export function rowTable<Row>(
  engine: StoreEngine,
  name: string,
  { rows, columns }: { readonly rows: readonly Row[]; readonly columns: RowTableColumns<Row> },
): RawBuilder<unknown> {
  // The keys of the columns are those of a row.
  const names = Object.keys(columns) as (keyof Row & string)[];
  return byEngine(engine, { sqlite: sqliteTable, postgres: postgresTable })(name, names, rows, columns);
}

/** The condition that an expression is one of the values; its text does not change with their number. */
export function isAmong(
  engine: StoreEngine,
  expression: RawBuilder<unknown>,
  values: readonly string[],
): RawBuilder<boolean> {
  return byEngine(engine, {
    sqlite: () => sql<boolean>`${expression} in (select value from json_each(${JSON.stringify(values)}))`,
    postgres: () => sql<boolean>`${expression} = any(${[...values]}::text[])`,
  })();
}

/** The condition that an expression is among the few that a query finds: they are looked up one by one, however large the table is. */
export function isAmongFew(
  engine: StoreEngine,
  expression: RawBuilder<unknown>,
  query: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return byEngine(engine, {
    sqlite: () => sql<boolean>`${expression} in (${query})`,
    postgres: () => sql<boolean>`${expression} = any(array(${query}))`,
  })();
}

/** What makes a select of a single statement hold its rows: waits for others, or leaves out what they hold. Shared: nobody changes them, and others may hold them so too. */
export function rowLock(
  engine: StoreEngine,
  { skipHeld = false, isShared = false } = {},
): RawBuilder<unknown> {
  const held = isShared ? sql`for share` : sql`for update`;
  return byEngine(engine, {
    sqlite: () => sql``,
    postgres: () => (skipHeld ? sql`${held} skip locked` : held),
  })();
}

/**
 * Has the last statements that follow look rows up by an index. A connection keeps the plan that it made when a table was
 * small, which reads all of it, until the database has counted the table again: a minute later at best.
 */
export function lookUpByIndex(tx: Pick<StoreTransaction, 'engine' | 'last'>): void {
  if (tx.engine === 'postgres') tx.last(sql`set local enable_seqscan = off`);
}

/** What a planner must not do where it cannot know how many rows there will be, by what a statement is for. */
const AVOIDED = {
  /** Takes the first few in the order of an index, however long the line is. */
  first: ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'],
  /** Brings many rows of its own, which are joined with each other: never each of them with each. */
  many: ['enable_seqscan', 'enable_bitmapscan', 'enable_nestloop'],
  /** Finds each of the rows that it names by its key, and reads no other. */
  named: ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'],
} as const;

/** Has the last statements that `give` adds planned for a table of any size, like `lookUpByIndex`, and for what they do. */
export function planLast(
  tx: Pick<StoreTransaction, 'engine' | 'last'>,
  doing: keyof typeof AVOIDED,
  give: () => void,
): void {
  const all = (value: string) => AVOIDED[doing].map((name) => `set local ${name} = ${value}`).join('; ');
  if (tx.engine === 'postgres') tx.last(sql.raw(all('off')));
  give();
  if (tx.engine === 'postgres') tx.last(sql.raw(all('default')));
}

/**
 * Has the last statements that follow run after those of everybody who named one of these keys, and see what they wrote:
 * the keys are held in one order from here to the commit, by the server alone, and not for the time of its disk. Where only
 * one writes at a time, it is so anyway.
 */
export function oneAtATime(
  tx: Pick<StoreTransaction, 'engine' | 'last' | 'letGoEarly'>,
  keys: readonly string[],
): void {
  if (tx.engine !== 'postgres' || keys.length === 0) return;
  tx.letGoEarly();
  tx.last(sql`select pg_advisory_xact_lock(number) from (
    select distinct hashtextextended(key, 0) as number from unnest(${[...keys]}::text[]) as key order by 1
  ) as numbers`);
}

/**
 * The condition that a row is as this very transaction wrote it. Where a commit is never in doubt, nobody writes a row a
 * second time to be sure of it, and so every row is.
 */
export function isWrittenHere(engine: StoreEngine, table: string): RawBuilder<boolean> {
  return byEngine(engine, {
    sqlite: () => sql<boolean>`true`,
    postgres: () => sql<boolean>`${sql.ref(`${table}.xmin`)} = (txid_current() & 4294967295)::text::xid`,
  })();
}

function sqliteTable<Row>(
  name: string,
  names: readonly (keyof Row & string)[],
  rows: readonly Row[],
): RawBuilder<unknown> {
  const values = JSON.stringify(rows.map((row) => names.map((column) => row[column] ?? null)));
  const selected = names.map(
    (column, index) => sql`json_extract(value, ${sql.lit(`$[${index}]`)}) as ${sql.ref(column)}`,
  );
  return sql`(select ${sql.join(selected)} from json_each(${values})) as ${sql.table(name)}`;
}

function postgresTable<Row>(
  name: string,
  names: readonly (keyof Row & string)[],
  rows: readonly Row[],
  columns: RowTableColumns<Row>,
): RawBuilder<unknown> {
  const arrays = names.map(
    (column) => sql`${rows.map((row) => row[column] ?? null)}::${sql.raw(columns[column])}[]`,
  );
  const refs = names.map((column) => sql.ref(column));
  return sql`unnest(${sql.join(arrays)}) as ${sql.table(name)}(${sql.join(refs)})`;
}
