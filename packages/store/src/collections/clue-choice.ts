/** Chooses the few trigrams of a clue that are worth looking up: common ones take long to go through and leave little out. */
import { sql } from 'kysely';
import type { SelectQueryBuilder } from 'kysely';
import type { AnyTables } from '../engine.ts';
import { leavesOf, spread, withoutCapitals } from './clues.ts';
import type { Clue, Leaf } from './clues.ts';

/** The rows of a scope, under the name `item`. */
export type ScopeRows = SelectQueryBuilder<AnyTables, 'item', object>;

/** How many rows of the scope tell what is common in it; to fewer no index is worth it. */
const SAMPLE = 200;
const SAMPLE_CHARACTERS = 2000;
/** What more rows of the sample have is common. */
const RARE = 12;
const MOST_TOGETHER = 4;

/** The rare part of a clue, by a look at some rows; undefined when looking at each of the scope is as good. */
export async function worthwhileClue(clue: Clue, scope: ScopeRows): Promise<Clue | undefined> {
  const columns = [...new Set(leavesOf(clue).map(({ column }) => column))];
  const starts = columns.map((column) =>
    sql<string | null>`substr(${sql.ref(`item.${column}`)}, 1, ${sql.lit(SAMPLE_CHARACTERS)})`.as(column),
  );
  const rows = await scope.select(starts).limit(SAMPLE).execute();
  if (rows.length < SAMPLE) return undefined;
  const texts = new Map(
    columns.map((column) => [column, rows.map((row) => withoutCapitals(row[column] ?? ''))]),
  );
  const rowsWith = ({ column, anyOf }: Leaf): number =>
    (texts.get(column) ?? []).filter((text) => anyOf.some((trigram) => text.includes(trigram))).length;
  const weighed = rarePart(clue, rowsWith);
  return weighed.rows > RARE ? undefined : weighed.clue;
}

interface Weighed {
  readonly clue: Clue;
  /** At most so many rows of the sample have it. */
  readonly rows: number;
}

function rarePart(clue: Clue, rowsWith: (leaf: Leaf) => number): Weighed {
  if ('anyOf' in clue) return { clue, rows: rowsWith(clue) };
  const { operator, clues } = clue;
  const parts = clues.map((each) => rarePart(each, rowsWith));
  if (operator === 'or') return together(operator, parts, (one, other) => one + other);
  const fewest = Math.min(...parts.map(({ rows }) => rows));
  // From everywhere in the text: what no row of the sample has may still be common in other scopes.
  const chosen = spread(
    parts.filter(({ rows }) => rows <= fewest + RARE),
    MOST_TOGETHER,
  );
  return together(operator, chosen, Math.min);
}

function together(
  operator: 'and' | 'or',
  parts: readonly Weighed[],
  rowsOf: (one: number, other: number) => number,
): Weighed {
  return {
    clue: { operator, clues: parts.map(({ clue }) => clue) },
    rows: parts.map(({ rows }) => rows).reduce((one, other) => rowsOf(one, other)),
  };
}
