/** Clues to rows that may fit a filter: the trigrams that their texts must have, for an index to find them by. */
import { toQueryJson } from '../columns.ts';
import type { FieldSpec } from './fields.ts';
import type { Pattern } from './patterns.ts';
import { containsPattern, likePattern } from './patterns.ts';
import type { Comparison, Where } from './query.ts';

/** The text of a column has one of these trigrams, in which no letter is a capital of ASCII. */
export interface Leaf {
  readonly column: string;
  readonly anyOf: readonly string[];
}

/** What is so of a row, or several such things. */
export type Clue = Leaf | { readonly operator: 'and' | 'or'; readonly clues: readonly Clue[] };

type Fields = Readonly<Record<string, FieldSpec>>;

// More would take longer to weigh than they leave out.
const MOST_TRIGRAMS = 50;
const FEWEST_TRIGRAMS = 4;
const MOST_CASES = 200;
const MOST_LEAVES = 400;

/** What every row that fits has; undefined when nothing is known that an index could find. */
export function clueOf(fields: Fields, where: Where): Clue | undefined {
  const clue = findClue(fields, where);
  return clue === undefined || leavesOf(clue).length > MOST_LEAVES ? undefined : clue;
}

/** Everything that the clue is made of. */
export function leavesOf(clue: Clue): Leaf[] {
  return 'anyOf' in clue ? [clue] : clue.clues.flatMap(leavesOf);
}

function findClue(fields: Fields, where: Where): Clue | undefined {
  if ('field' in where) return comparisonClue(fields, where);
  // What does not fit a condition has nothing in common.
  if (where.operator === 'not') return undefined;
  const clues = where.conditions.map((condition) => findClue(fields, condition));
  return where.operator === 'or' ? eitherOf(clues) : allOf(clues.filter((clue) => clue !== undefined));
}

function allOf(clues: readonly Clue[]): Clue | undefined {
  return clues.length > 1 ? { operator: 'and', clues } : clues[0];
}

/** One side without a clue leaves nothing out, so the whole does not either. */
function eitherOf(sides: readonly (Clue | undefined)[]): Clue | undefined {
  const clues = sides.filter((clue) => clue !== undefined);
  if (clues.length < sides.length) return undefined;
  return clues.length > 1 ? { operator: 'or', clues } : clues[0];
}

function comparisonClue(
  fields: Fields,
  { field: [name = '', ...path], operator, value }: Comparison,
): Clue | undefined {
  const spec = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (spec?.searched === undefined) return undefined;
  const { column = name, kind, searched } = spec;
  const runsIn = (pattern: Pattern) => textClue(column, runsOf(pattern, kind === 'json'), MOST_TRIGRAMS);
  if (operator === 'like') return runsIn(likePattern(String(value)));
  if (operator === 'contains') return runsIn(containsPattern(String(value)));
  if (searched === 'patterns' || (operator !== 'eq' && operator !== 'in')) return undefined;
  const values: readonly unknown[] = operator === 'in' && Array.isArray(value) ? value : [value];
  const texts = kind === 'json' ? values.flatMap((each) => jsonText(path, each)) : values.flatMap(plainText);
  const most = Math.max(FEWEST_TRIGRAMS, Math.floor(MOST_TRIGRAMS / texts.length));
  return eitherOf(texts.map((text) => textClue(column, runsOf(exactly(text), false), most)));
}

function plainText(value: unknown): string[] {
  return typeof value === 'string' ? [value] : [];
}

/** The value as it stands in JSON, after its key; a number may go on behind it. */
function jsonText(path: readonly string[], value: unknown): string[] {
  if (value === null || typeof value === 'object') return [];
  const key = path.at(-1);
  return [`${key === undefined ? '' : `${toQueryJson(key)}:`}${toQueryJson(value)}`];
}

function exactly(text: string): Pattern {
  return Array.from(text, (character) => ({ anyOf: [character] }));
}

/** Characters that follow one another, each in all its cases. */
type Run = readonly (readonly string[])[];

function runsOf(pattern: Pattern, isInJson: boolean): Run[] {
  const runs: string[][][] = [[]];
  for (const step of pattern) {
    if (typeof step === 'string' || step.anyOf.some((each) => !isKept(each, isInJson))) runs.push([]);
    else runs.at(-1)?.push([...new Set(step.anyOf.map(withoutCapitals))]);
  }
  return runs;
}

/** Whether the character is in the index as it is: halves of a pair and the first two are not, and JSON writes some in another way. */
function isKept(character: string, isInJson: boolean): boolean {
  if (character <= '\u0001' || !character.isWellFormed()) return false;
  return !isInJson || (character >= ' ' && character !== '"' && character !== '\\');
}

/** As both engines lower a text when they are told to mind ASCII alone. */
export function withoutCapitals(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function textClue(column: string, runs: readonly Run[], most: number): Clue | undefined {
  const trigrams = new Map<string, readonly string[]>();
  for (const run of runs)
    for (const [index, last] of run.slice(2).entries()) {
      const cases = casesOf([run[index] ?? [], run[index + 1] ?? [], last]);
      trigrams.set(cases[0] ?? '', cases);
    }
  const chosen: Leaf[] = [];
  let left = MOST_CASES;
  for (const anyOf of spread([...trigrams.values()], most)) {
    left -= anyOf.length;
    if (left < 0) break;
    chosen.push({ column, anyOf });
  }
  return allOf(chosen);
}

/** Some of many, from everywhere. */
export function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most);
  return Array.from(
    { length: Math.min(most, all.length) },
    (_, index) => all[Math.floor(index * step)],
  ).filter((each) => each !== undefined);
}

function casesOf(run: Run): readonly string[] {
  return run.reduce<readonly string[]>(
    (starts, characters) => starts.flatMap((start) => characters.map((character) => start + character)),
    [''],
  );
}
