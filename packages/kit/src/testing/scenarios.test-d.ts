/** What the types of a scenario table must refuse. */
import { expectTypeOf, test } from 'vitest';
import type { Scenario } from './scenarios.ts';

const base = { name: 'a row', call: ['double', { value: 1 }] } as const;

test('a row that says how the call ends compiles', () => {
  const rows: Scenario[] = [
    { ...base, gives: { result: 2 } },
    { ...base, fails: 'too_big', hides: ['secret'] },
    { ...base, shows: ['2'] },
    { ...base, unknown: true, records: { denied: 1 } },
  ];
  expectTypeOf(rows).items.toExtend<Scenario>();
});

test('a row without an expectation does not compile', () => {
  // @ts-expect-error -- nothing is expected
  const row: Scenario = { ...base };
  expectTypeOf(row).toExtend<Scenario>();
});

test('what must not appear is not enough, for an error hides everything', () => {
  // @ts-expect-error -- it does not say how the call ends
  const row: Scenario = { ...base, hides: ['secret'], records: {} };
  expectTypeOf(row).toExtend<Scenario>();
});

test('no words are not an expectation', () => {
  // @ts-expect-error -- the list is empty
  const row: Scenario = { ...base, shows: [] };
  expectTypeOf(row).toExtend<Scenario>();
});

test('a call does not end in two ways', () => {
  // @ts-expect-error -- it either gives something or fails
  const row: Scenario = { ...base, gives: {}, fails: 'too_big' };
  expectTypeOf(row).toExtend<Scenario>();
});
