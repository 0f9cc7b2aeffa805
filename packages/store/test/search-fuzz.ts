/** Owns random notes and random filters that often fit one of them, with the characters that are hard to index. */
import fc from 'fast-check';
import { classOf } from '../src/collections/case-classes.ts';
import type { Comparison, Where } from '../src/collections/query.ts';

/** An entity of the test collection. */
export interface Note {
  readonly id: string;
  readonly title: string;
  readonly body: string | null;
  readonly created_at: string;
  readonly metadata: unknown;
}

// Few, so that parts of texts come again: foldings into ASCII and beside it, and what JSON, FTS5 and patterns write in another way.
const CHARACTERS = [
  ...Array.from('aAkKsS1. \u{17F}\u{212A}\u{3C2}\u{3C3}\u{3A3}\u{DF}\u{1E9E}'),
  ...Array.from('"\\\n%_*\'\u{1F600}'),
];
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 9 }).map((parts) => parts.join(''));
const KEYS = ['text', 'a"b', 'c\\d', 'K', '', '0', '\n'];
const NUMBERS = [0, 1, 12, 123, 1234.5, -7, 1e21, 0.1];
const scalar = fc.oneof(text, fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null));
const json = fc.dictionary(
  fc.constantFrom(...KEYS, 'deep'),
  fc.oneof(
    scalar,
    scalar,
    fc.dictionary(fc.constantFrom(...KEYS), scalar, { maxKeys: 2 }),
    fc.array(text, { maxLength: 2 }),
  ),
  { maxKeys: 4 },
);

/** Notes without their ids. */
export const notes: fc.Arbitrary<Omit<Note, 'id' | 'created_at'>> = fc.record({
  title: text,
  body: fc.option(text),
  metadata: fc.option(fc.oneof(json, json, json, scalar)),
});

/** Filters whose values are parts of what the notes hold, in other cases. */
export function filtersFor(found: readonly Omit<Note, 'id' | 'created_at'>[]): fc.Arbitrary<Where> {
  const texts = found.flatMap(({ title, body, metadata }) => [title, ...textsIn(body), ...textsIn(metadata)]);
  const whole = fc.constantFrom(...texts);
  const part = fc
    .tuple(whole, fc.nat(4), fc.integer({ min: 2, max: 9 }), fc.nat(3))
    .map(([all, from, length, turn]) =>
      Array.from(all)
        .slice(from, from + length)
        .map((character) => otherCase(character, turn))
        .join(''),
    );
  const pattern = fc.oneof(
    part,
    fc.tuple(part, part).map(([one, other]) => `%${one}%${other}%`),
    part.map((one) => `%${one.replaceAll(/[%_\\]/g, '\\$&')}%`),
  );
  const key = fc.constantFrom(...KEYS);
  const path = fc.oneof(
    fc.constantFrom(['title'], ['body'], ['metadata']),
    key.map((only) => ['metadata', only]),
    key.map((only) => ['metadata', 'deep', only]),
  );
  const value = fc.oneof(whole, whole, fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null));
  const comparison: fc.Arbitrary<Comparison> = fc.oneof(
    fc.record({ field: path, operator: fc.constant('contains' as const), value: part }),
    fc.record({ field: path, operator: fc.constant('like' as const), value: pattern }),
    fc.record({ field: path, operator: fc.constant('eq' as const), value }),
    fc.record({
      field: path,
      operator: fc.constant('in' as const),
      value: fc.array(value, { maxLength: 3 }),
    }),
  );
  const tree = fc.letrec<{ where: Where }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      comparison,
      comparison,
      fc.record({
        operator: fc.constantFrom('and' as const, 'or' as const, 'not' as const),
        conditions: fc.array(tie('where'), { maxLength: 3 }),
      }),
    ),
  }));
  return tree.where;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function otherCase(character: string, turn: number): string {
  const cases = classOf(character);
  return cases[turn % cases.length] ?? character;
}
