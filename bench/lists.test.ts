/** Owns the promises of measuring lists: what is judged, and that every list counts what fits. */
import { expect, test } from 'vitest';
import { judgeLists } from './list-targets.ts';
import { measureLists } from './lists.ts';
import type { ListSpeed } from './lists.ts';
import { findMethod } from './machine.ts';

const speed = (byFilter: Record<string, number>, rows = 100_000): ListSpeed => ({
  rows,
  fillSeconds: 1,
  byFilter: Object.fromEntries(
    Object.entries(byFilter).map(([kind, p50Ms]) => [kind, { count: 9, p50Ms, p99Ms: p50Ms }]),
  ),
});
const verdictsOf = (sqlite: ListSpeed, postgres?: ListSpeed) =>
  judgeLists({ sqlite, ...(postgres && { postgres }) }).map(({ verdict }) => verdict);

test('the slowest filter is judged on each database', () => {
  expect(verdictsOf(speed({ title: 1, app: 9.9 }))).toEqual(['pass', 'not measured']);
  expect(verdictsOf(speed({ title: 1, contains: 90 }))).toEqual(['miss', 'not measured']);
  expect(verdictsOf(speed({ title: 1 }), speed({ title: 1, app: 10 }))).toEqual(['pass', 'miss']);
  expect(verdictsOf(speed({ title: 1 }, 99_999))).toEqual(['miss', 'not measured']);
  expect(judgeLists({ sqlite: speed({ title: 1, contains: 90 }) })[0]?.note).toContain('contains 90 ms');
  expect(judgeLists(undefined).map(({ verdict }) => verdict)).toEqual(['not measured', 'not measured']);
});

test('the process lists by every kind of filter, and counts what fits', async () => {
  const settings = { rows: 2000, queries: 2 };
  const { sqlite } = await measureLists(
    settings,
    { method: findMethod(), databaseUrl: undefined },
    () => undefined,
  );
  expect(Object.keys(sqlite.byFilter)).toEqual([
    'title',
    'app',
    'status',
    'newer',
    'contains',
    'like',
    'metadata',
  ]);
});
