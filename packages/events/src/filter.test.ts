/** Filters: what they select, what is refused, and that none of them can keep a transaction waiting. */
import { expect, test } from 'vitest';
import { event } from '../test/sample-event.ts';
import { ask, checkFilter, FILTER_READS, isCompiled } from './filter.ts';

test.each([
  ['$[?@.total > 100]', { total: 150 }, true],
  ['$[?@.total > 100]', { total: 50 }, false],
  ['$.data.items[?@.price > 10]', { items: [{ price: 3 }, { price: 11 }] }, true],
  ['$.data.items[?@.price > 10]', { items: [] }, false],
  ['$[?@ == "shop"]', {}, true],
  ['$..[?@.sku == "a"]', { deep: [{ er: { sku: 'a' } }] }, true],
  ['$.data[?length(@.name) > 3]', { one: { name: 'four' } }, true],
  ['$.data[?count(@.*) == 2]', { one: [1, 2] }, true],
  ['$.nothing', {}, false],
])('%s over %j: %s', (filter, data, expected) => {
  expect(ask(filter, event(data)).isSelected).toBe(expected);
});

test.each([
  ['$[?@.a == ]', /position 10/],
  ['data.total', /position 0/],
  ['', /position 0/],
  ['$[?match(@.a, "(a+)+b")]', /match\(\) and search\(\) are not available/],
  ['$[?search(@.a, "(a+)+b")]', /match\(\) and search\(\) are not available/],
  [`$.${'a'.repeat(1000)}`, /at most 1000 characters/],
])('the filter %j is refused', (filter, message) => {
  expect(() => checkFilter(filter)).toThrow(
    expect.objectContaining({ code: 'invalid', message: expect.stringMatching(message) }),
  );
});

const deep = (depth: number): unknown => (depth === 0 ? 'end' : [deep(depth - 1), depth]);

test.each([
  ['descent in descent', '$..[?@..[?@..[?@..nope]]]', deep(40)],
  ['the same child many times over', `$.data${'[*,*,*,*]'.repeat(40)}.nope`, deep(40)],
  [
    'the whole event for each item',
    '$.data[?$.data[?$.data[?@ == -1]]]',
    Array.from({ length: 3000 }, String),
  ],
])('%s is cut off', (_name, filter, data) => {
  // Unbounded, each of these takes hours.
  expect(ask(filter, event(data))).toEqual({ isSelected: undefined, isOver: true, reads: FILTER_READS });
});

test('fifteen hundred items are within the budget', () => {
  const items = Array.from({ length: 1500 }, (_, price) => ({ price }));
  expect(ask('$.data.items[?@.price < 0]', event({ items }))).toMatchObject({ isSelected: false });
});

test('the keys of a wide object are not listed for a filter that may not read them all', () => {
  let listed = 0;
  const keys = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`k${index}`, index]));
  const wide = new Proxy(keys, {
    ownKeys(from) {
      listed += 1;
      return Reflect.ownKeys(from);
    },
  });
  const given = event(wide);
  for (const filter of ['$.data[?@ == -1]', '$.data[?@ == -2]', '$.data[?length($.data) == 1]'])
    expect(ask(filter, given)).toMatchObject({ isSelected: undefined, isOver: true });
  expect(listed).toBe(1);
  expect(ask('$.data.k1', given)).toMatchObject({ isSelected: true, isOver: false });
});

test('a depth that the library refuses is a failure, not a match', () => {
  expect(ask('$..nope', event(deep(200)))).toMatchObject({ isSelected: undefined, isOver: false });
});

test('filters stay compiled while there is room, those of the last events longest; a filter that is only checked does not', () => {
  const long = (index: number) => `$.data.n${index}`.padEnd(1000, 'a');
  checkFilter(long(0));
  expect(isCompiled(long(0))).toBe(false);
  const all = Array.from({ length: 501 }, (_, index) => long(index));
  for (const filter of all) ask(filter, event({}));
  expect([all[0], all[1], all[500]].map((filter) => isCompiled(filter ?? ''))).toEqual([false, true, true]);
});
