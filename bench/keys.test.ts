/** Owns the promises of measuring many keys: what is judged, and that every key is shown and answered. */
import { expect, test } from 'vitest';
import { judgeKeys } from './key-targets.ts';
import { measureKeys } from './keys.ts';
import type { KeyFigures } from './keys.ts';
import { findMethod } from './machine.ts';

const cost = { oneUs: 40, firstUs: 100, againUs: 100 };

test.each<[string, KeyFigures | undefined, string[]]>([
  ['two and a half times', { keys: 100_000, sqlite: cost }, ['pass', 'pass']],
  [
    'one database above it',
    { keys: 100_000, sqlite: cost, postgres: { ...cost, againUs: 101 } },
    ['miss', 'pass'],
  ],
  ['new keys above it', { keys: 100_000, sqlite: { ...cost, firstUs: 101 } }, ['pass', 'miss']],
  ['too few keys', { keys: 99_999, sqlite: cost }, ['not measured', 'not measured']],
  ['nothing', undefined, ['not measured', 'not measured']],
])('calls with many keys are judged by calls with one: %s', (_what, figures, verdicts) => {
  expect(judgeKeys(figures).map(({ verdict }) => verdict)).toEqual(verdicts);
});

test('a hundred keys are all good for a call', async () => {
  const { keys, sqlite } = await measureKeys(
    100,
    { method: findMethod(), databaseUrl: undefined },
    () => undefined,
  );
  expect(keys).toBe(100);
  expect(Math.min(...Object.values(sqlite))).toBeGreaterThan(0);
});
