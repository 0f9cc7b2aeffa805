/** What checking values against a JSON Schema may cost, told from the schema alone: others write it, and values as well. */
import type { JsonSchema } from './context.ts';

/** The cost of a schema that is cheap. */
export interface SchemaCost {
  /** How many steps one part of a value takes at most. */
  readonly perPart: number;
}

type Schema = Readonly<Record<string, unknown>>;
/** Steps for the value itself, for what it holds, for what that holds. */
type Levels = readonly number[];

// A validator is made in one go: this much takes some ten milliseconds.
const MOST_WORDS = 1_500;
const MOST_STEPS = 2_000;
const MOST_DEPTH = 64;

// Their expressions go back over what they have read, or take one from the value.
const COSTLY_FORMATS: ReadonlySet<unknown> = new Set(['regex', 'url']);
const COSTLY_WORDS = ['pattern', 'patternProperties', '$dynamicRef', '$recursiveRef'] as const;
const SAME_VALUE = ['not', 'if', 'then', 'else'] as const;
const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SAME_VALUE_MAPS = ['dependentSchemas', 'dependencies'] as const;
const PARTS = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
] as const;

/** Not cheap: an expression, a comparison of everything with everything, a cycle, or just too much. */
class Costly extends Error {}

/** The cost of a schema; undefined: checking it may take longer than reading the value a few times. */
export function schemaCost(schema: JsonSchema): SchemaCost | undefined {
  try {
    return { perPart: Math.max(...new Measure(schema).levelsOf(schema, 0)) };
  } catch (error) {
    if (error instanceof Costly) return undefined;
    throw error;
  }
}

/** One schema being measured; each part of it is looked at once, however many refer to it. */
class Measure {
  readonly #root: Schema;
  readonly #known = new Map<object, Levels | 'open'>();
  #words = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  levelsOf(schema: unknown, depth: number): Levels {
    if (!isObject(schema)) return [1];
    const known = this.#known.get(schema);
    if (known === 'open' || depth > MOST_DEPTH) throw new Costly();
    if (known !== undefined) return known;
    this.#known.set(schema, 'open');
    refuseCostly(schema, schema === this.#root);
    const own = 1 + wordsIn(schema);
    this.#words += own;
    if (this.#words > MOST_WORDS) throw new Costly();
    const levels = [own];
    const below = (part: unknown) => this.levelsOf(part, depth + 1);
    for (const part of sameValue(schema)) add(levels, below(part), 0);
    if (schema['$ref'] !== undefined) add(levels, below(this.#referred(schema['$ref'])), 0);
    for (const part of [...PARTS.flatMap((word) => listOf(schema[word])), ...listOf(schema['prefixItems'])])
      add(levels, below(part), 1);
    // A property has one name, so that no two of these meet the same part.
    const properties: number[] = [];
    for (const part of valuesOf(schema['properties'])) keepLargest(properties, below(part));
    add(levels, properties, 1);
    if (levels.some((steps) => steps > MOST_STEPS)) throw new Costly();
    this.#known.set(schema, levels);
    return levels;
  }

  /** What a reference within the schema leads to. */
  #referred(ref: unknown): unknown {
    if (ref === '#') return this.#root;
    if (typeof ref !== 'string' || !ref.startsWith('#/')) throw new Costly();
    let found: unknown = this.#root;
    for (const step of ref.slice(2).split('/')) {
      const name = decoded(step);
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) throw new Costly();
      // A list has its items under their numbers.
      found = (found as Schema)[name];
    }
    return found;
  }
}

function refuseCostly(schema: Schema, isRoot: boolean): void {
  const isCostly =
    COSTLY_WORDS.some((word) => schema[word] !== undefined) ||
    (schema['uniqueItems'] !== undefined && schema['uniqueItems'] !== false) ||
    COSTLY_FORMATS.has(schema['format']) ||
    // References below one of these lead somewhere else.
    (!isRoot && (schema['$id'] !== undefined || schema['id'] !== undefined));
  if (isCostly) throw new Costly();
}

function sameValue(schema: Schema): unknown[] {
  return [
    ...SAME_VALUE.flatMap((word) => listOf(schema[word])),
    ...SAME_VALUE_LISTS.flatMap((word) => listOf(schema[word])),
    ...SAME_VALUE_MAPS.flatMap((word) => valuesOf(schema[word]).filter((part) => !Array.isArray(part))),
  ];
}

/** Names and values that one part of a value is compared with. */
function wordsIn(schema: Schema): number {
  const dependent = [...valuesOf(schema['dependentRequired']), ...valuesOf(schema['dependencies'])];
  return (
    valuesOf(schema['properties']).length +
    listOf(schema['required']).length +
    dependent.reduce<number>((sum, names) => sum + listOf(names).length, 0) +
    partsIn(schema['enum']) +
    partsIn(schema['const'])
  );
}

/** How many values there are in one, itself included; stops where it is too much. */
function partsIn(value: unknown): number {
  if (value === undefined) return 0;
  const left: unknown[] = [value];
  let count = 0;
  while (left.length > 0) {
    count += 1;
    if (count + left.length > MOST_WORDS) throw new Costly();
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (inner.length > MOST_WORDS) throw new Costly();
    left.push(...inner);
  }
  return count;
}

function add(levels: number[], more: Levels, from: number): void {
  for (const [at, steps] of more.entries()) levels[at + from] = (levels[at + from] ?? 0) + steps;
}

function keepLargest(levels: number[], more: Levels): void {
  for (const [at, steps] of more.entries()) levels[at] = Math.max(levels[at] ?? 0, steps);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new Costly();
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function valuesOf(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value) : [];
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
