/** Owns random rows and random queries that are unkind to filters. */
import fc from 'fast-check';
import type { Comparison, ListQuery, OrderBy, Where } from '../src/collections/query.ts';

/** An entity of the test collection. */
export interface Thing {
  readonly id: string;
  readonly title: string;
  readonly note: string | null;
  readonly amount: number | null;
  readonly flag: boolean | null;
  readonly created_at: string;
  readonly seen_at: string | null;
  readonly metadata: unknown;
}

// Folding that only Unicode knows, foldings that are none, wildcards of both engines, and characters above U+FFFF.
const CHARACTERS = [
  ...Array.from('aAbBkKsS iIzé'),
  ...Array.from('ßẞİıǅǄǆſKςσΣÅåѢᲇΐΐﬅﬆᾳᾼꭰᎠ𐐀𐐨😀'),
  ...Array.from('%_\\*?[]^-.$()|"\'/\n'),
  'ss',
  '\u{10FFFF}',
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  1.5,
  0.1,
  10,
  2 ** 53,
  2 ** 62,
  2 ** 63,
  1e21,
  5e-324,
  1.7976931348623157e308,
  -2.5e-7,
];
const TIMES = [0, 1, 999, 1_793_000_000_123, 1_793_000_000_124, 4_102_444_800_000].map((ms) =>
  new Date(ms).toISOString(),
);
// None is a backslash alone: after one, JSON.parse of Node 26 reads other escaped keys of that length as a backslash.
const KEYS = ['a', 'b', 'A', '0', '', 'a.b', '$', '"', 'c\\d', 'a"b', 'ß', '*', 'é\n', "'", '[0]', '#'];

const character = fc.constantFrom(...CHARACTERS);
// Short ones often, since two long ones hardly ever fit.
const text = fc.oneof(
  character,
  fc.array(character, { maxLength: 2 }).map((parts) => parts.join('')),
  fc.array(character, { maxLength: 5 }).map((parts) => parts.join('')),
);
const key = fc.oneof(fc.constantFrom('a', 'b'), fc.constantFrom(...KEYS));
const number = fc.constantFrom(...NUMBERS);
const time = fc.constantFrom(...TIMES);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    scalar,
    tie('object'),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
}));

/** A row without its id. */
export const things: fc.Arbitrary<Omit<Thing, 'id'>> = fc.record({
  title: text,
  note: fc.option(text),
  amount: fc.option(number),
  flag: fc.option(fc.boolean()),
  created_at: time,
  seen_at: fc.option(time),
  metadata: fc.option(fc.oneof(json.object, json.object, json.value)),
});

const path = fc.oneof(
  fc.constantFrom(
    ['id'],
    ['title'],
    ['note'],
    ['amount'],
    ['flag'],
    ['created_at'],
    ['seen_at'],
    ['metadata'],
  ),
  fc
    .oneof(
      key.map((only) => [only]),
      fc.array(key, { minLength: 1, maxLength: 3 }),
    )
    .map((keys) => ['metadata', ...keys]),
);
const isTime = ([name]: readonly string[]) => name === 'created_at' || name === 'seen_at';

/** Text that is no time is refused before it gets to the store. */
const valueFor = (field: readonly string[]) =>
  isTime(field) ? fc.oneof(time, number) : fc.oneof(text, number);

const comparison: fc.Arbitrary<Comparison> = path.chain((field) =>
  fc.oneof(
    fc.record({
      field: fc.constant(field),
      operator: fc.constant('eq' as const),
      value: fc.oneof(valueFor(field), fc.boolean(), fc.constant(null)),
    }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constant('in' as const),
      value: fc.array(fc.oneof(valueFor(field), fc.boolean(), fc.constant(null)), { maxLength: 5 }),
    }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
      value: valueFor(field),
    }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('like', 'contains'),
      value: fc.oneof(
        text,
        text.map((part) => `%${part}%`),
        text.map((part) => `${part}%`),
      ),
    }),
  ),
);

const tree = fc.letrec<{ where: Where }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    comparison,
    comparison,
    fc.record({
      operator: fc.constantFrom('and', 'or', 'not'),
      conditions: fc.array(tie('where'), { maxLength: 3 }),
    }),
  ),
}));

const order: fc.Arbitrary<OrderBy> = fc.record(
  {
    field: path,
    direction: fc.constantFrom('asc', 'desc'),
    nulls: fc.constantFrom('first', 'last'),
  },
  { requiredKeys: ['field'] },
);

export const queries: fc.Arbitrary<ListQuery> = fc.record(
  {
    where: tree.where,
    orderBy: fc.array(order, { maxLength: 3 }),
    limit: fc.constantFrom(1, 3, 1000),
    offset: fc.constantFrom(0, 0, 2, 500),
  },
  { requiredKeys: ['limit', 'offset'] },
);
