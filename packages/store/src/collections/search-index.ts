/** The search index of a table: the trigrams of its texts, kept by the database itself, and the rows that they name. */
import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { byEngine } from '../columns.ts';
import type { AnyTables } from '../engine.ts';
import type { Queryable, StoreEngine } from '../store.ts';
import { worthwhileClue } from './clue-choice.ts';
import type { ScopeRows } from './clue-choice.ts';
import type { Clue } from './clues.ts';

type Sql<T = unknown> = RawBuilder<T>;

/** What is searched: columns of a table whose `id` is unique. */
export interface SearchIndexSpec {
  readonly table: string;
  /** Texts, and JSON as `toQueryJson` writes it. */
  readonly columns: readonly string[];
}

/** Makes the search index of a table, with the rows that are there; for a migration. */
export async function createSearchIndex(
  db: Kysely<AnyTables>,
  engine: StoreEngine,
  { table, columns }: SearchIndexSpec,
): Promise<void> {
  const statements = byEngine(engine, { sqlite: sqliteIndex, postgres: postgresIndex });
  for (const statement of statements(table, columns)) await sql.raw(statement).execute(db);
}

// The rows have numbers of their own, since those that SQLite gives to rows with another key may change.
function sqliteIndex(table: string, columns: readonly string[]): string[] {
  const index = `${table}_search`;
  const names = columns.join(', ');
  const add = (row: string, from: string) =>
    `insert into ${index} (rowid, ${names}) select seq, ${columns.map((column) => `lower(${row}.${column})`).join(', ')} from ${from}`;
  const numberOf = (row: string) => `${index}_rows where item = ${row}.id`;
  const isChanged = columns.map((column) => `old.${column} is not new.${column}`).join(' or ');
  return [
    `create table ${index}_rows (seq integer primary key, item text not null unique)`,
    `create virtual table ${index} using fts5(${names}, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1')`,
    `insert into ${index}_rows (item) select id from ${table}`,
    add('item', `${index}_rows join ${table} as item on item.id = ${index}_rows.item order by seq`),
    // Else the next writers would have to bring the parts of it together.
    `insert into ${index} (${index}) values ('optimize')`,
    `create trigger ${index}_insert after insert on ${table} begin
       insert into ${index}_rows (item) values (new.id);
       ${add('new', numberOf('new'))};
     end`,
    `create trigger ${index}_update after update of ${names} on ${table} when ${isChanged} begin
       delete from ${index} where rowid = (select seq from ${numberOf('old')});
       ${add('new', numberOf('new'))};
     end`,
    `create trigger ${index}_delete after delete on ${table} begin
       delete from ${index} where rowid = (select seq from ${numberOf('old')});
       delete from ${numberOf('old')};
     end`,
  ];
}

// Written between the parts of a text; so a trigram with it is in no index.
const CUT = String.raw`E'\x01'`;

function postgresIndex(table: string, columns: readonly string[]): string[] {
  const index = `${table}_search`;
  const parts = (text: string) =>
    String.raw`string_to_array(regexp_replace(${text}, '...', E'\\&\x01', 'g'), ${CUT})`;
  return [
    // Nothing but what is built in: not every database lets its owner add an extension. The cost keeps a plan from
    // working out trigrams of rows that the index does not name.
    `create or replace function parley_trigrams(whole text) returns text[]
     language plpgsql immutable strict parallel safe cost 100 as $$
     declare lowered text := lower(whole collate "C");
     begin
       return ${[1, 2, 3].map((start) => parts(`substr(lowered, ${start})`)).join(' || ')};
     end $$`,
    `create index ${index} on ${table} using gin (${columns.map((column) => `parley_trigrams(${column}) collate "C"`).join(', ')})`,
  ];
}

/** The rows in a scope, to find some of them by a clue. */
export interface Searched {
  readonly table: string;
  readonly clue: Clue;
  readonly scope: ScopeRows;
}

/** The condition that a row is one of those that the index names; undefined when looking at each of the scope is less work. */
export async function searchCondition(
  from: Queryable,
  { table, clue, scope }: Searched,
): Promise<Sql<boolean> | undefined> {
  const chosen = await worthwhileClue(clue, scope);
  if (chosen === undefined) return undefined;
  // The planner of PostgreSQL minds by itself how many rows the scope has.
  const isWorthIt = byEngine(from.engine, { sqlite: sqliteIsWorthIt, postgres: async () => true });
  const searched = { table, clue: chosen, scope };
  return (await isWorthIt(from.db(), searched)) ? namedRows(from.engine, searched) : undefined;
}

/** The condition that the index of the table names the row. */
export function namedRows(engine: StoreEngine, { table, clue }: Omit<Searched, 'scope'>): Sql<boolean> {
  return byEngine(engine, { sqlite: sqliteNamedRows, postgres: postgresNamedRows })(clue, `${table}_search`);
}

/** A column that no plan begins with, because the search index names fewer rows than an index of the column. */
export function besideSearch(engine: StoreEngine, column: Sql): Sql {
  return byEngine(engine, { sqlite: sql`+${column}`, postgres: column });
}

const MOST_NAMED = 5000;
/** How many rows are looked at in the time that one takes which the index names. */
const LOOKED_AT = 4;

/** Whether the index names few rows for those of the scope; what is rare in it may be common in others. */
async function sqliteIsWorthIt(db: Kysely<AnyTables>, { table, clue, scope }: Searched): Promise<boolean> {
  const index = sql.table(`${table}_search`);
  const countOf = async (some: Sql): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${some}`.execute(db);
    return rows[0]?.count ?? 0;
  };
  const named = await countOf(
    sql`(select 1 from ${index} where ${index} match ${matchOf(clue)} limit ${MOST_NAMED + 1})`,
  );
  if (named > MOST_NAMED) return false;
  const enough = named * LOOKED_AT + 1;
  return (await countOf(sql`${scope.select(sql`1`.as('one')).limit(enough)}`)) === enough;
}

function sqliteNamedRows(clue: Clue, name: string): Sql<boolean> {
  const index = sql.table(name);
  return sql`item.id in (select item from ${sql.table(`${name}_rows`)} where seq in
    (select rowid from ${index} where ${index} match ${matchOf(clue)}))`;
}

/** The clue as a query of FTS5. */
function matchOf(clue: Clue): string {
  if ('clues' in clue) return `(${clue.clues.map(matchOf).join(` ${clue.operator.toUpperCase()} `)})`;
  return `(${clue.anyOf.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' OR ')})`;
}

function postgresNamedRows(clue: Clue): Sql<boolean> {
  if ('anyOf' in clue) return has(clue.column, sql`&&`, clue.anyOf);
  if (clue.operator === 'or')
    return sql`(${sql.join(
      clue.clues.map((each) => postgresNamedRows(each)),
      sql` or `,
    )})`;
  // All at once, so that the index begins with the rarest.
  const single = clue.clues.filter((each) => 'anyOf' in each).filter(({ anyOf }) => anyOf.length === 1);
  const byColumn = Map.groupBy(single, ({ column }) => column);
  const together = [...byColumn].map(([column, clues]) =>
    has(
      column,
      sql`@>`,
      clues.flatMap(({ anyOf }) => anyOf),
    ),
  );
  const others = clue.clues
    .filter((each) => !('anyOf' in each) || each.anyOf.length > 1)
    .map((each) => postgresNamedRows(each));
  return sql`(${sql.join([...together, ...others], sql` and `)})`;
}

function has(column: string, operator: Sql, trigrams: readonly string[]): Sql<boolean> {
  return sql`parley_trigrams(${sql.ref(`item.${column}`)}) collate "C" ${operator} ${trigrams}::text[]`;
}
