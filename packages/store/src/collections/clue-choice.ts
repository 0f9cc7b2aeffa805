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
const RARE = 10;
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
  return rarePart(clue, rowsWith)?.clue;
}

interface Weighed {
  readonly clue: Clue;
  /** At most so many rows of the sample have it. */
  readonly rows: number;
}

function rarePart(clue: Clue, rowsWith: (leaf: Leaf) => number): Weighed | undefined {
  const weighed = 'anyOf' in clue ? { clue, rows: rowsWith(clue) } : rareParts(clue, rowsWith);
  return weighed === undefined || weighed.rows > RARE ? undefined : weighed;
}

function rareParts(
  { operator, clues }: Exclude<Clue, Leaf>,
  rowsWith: (leaf: Leaf) => number,
): Weighed | undefined {
  const parts = clues.map((clue) => rarePart(clue, rowsWith));
  const rare = parts.filter((part) => part !== undefined);
  if (rare.length === 0 || (operator === 'or' && rare.length < parts.length)) return undefined;
  if (operator === 'or') return together(operator, rare, (one, other) => one + other);
  const fewest = Math.min(...rare.map(({ rows }) => rows));
  // From everywhere in the text: what no row of the sample has may still be common in other scopes.
  const chosen = spread(
    rare.filter(({ rows }) => rows <= (fewest + 1) * 4),
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
