/** Owns the promises of measuring recall: what is judged, and that every memory found is as it was signed. */
import { expect, test } from 'vitest';
import { findMethod } from './machine.ts';
import { judgeRecall } from './recall-targets.ts';
import { measureRecall } from './recall.ts';
import type { RecallSpeed } from './recall.ts';

const speed = (byKind: Record<string, number>, memories = 100_000): RecallSpeed => ({
  memories,
  fillSeconds: 1,
  byKind: Object.fromEntries(
    Object.entries(byKind).map(([kind, p50Ms]) => [kind, { count: 9, p50Ms, p99Ms: p50Ms }]),
  ),
});
const verdictsOf = (sqlite: RecallSpeed, postgres?: RecallSpeed) =>
  judgeRecall({ sqlite, ...(postgres && { postgres }) }).map(({ verdict }) => verdict);

test('mixed queries are judged on each database; other kinds are told beside them', () => {
  expect(verdictsOf(speed({ mixed: 9.9, part: 90 }))).toEqual(['pass', 'not measured']);
  expect(verdictsOf(speed({ mixed: 1 }), speed({ mixed: 10 }))).toEqual(['pass', 'miss']);
  expect(verdictsOf(speed({ mixed: 1 }, 99_999))).toEqual(['miss', 'not measured']);
  expect(judgeRecall({ sqlite: speed({ mixed: 1, part: 90 }) })[0]?.note).toContain('part 90 ms');
  expect(judgeRecall(undefined).map(({ verdict }) => verdict)).toEqual(['not measured', 'not measured']);
});

const KINDS = ['mixed', 'common', 'middling', 'rare', 'prefix', 'words', 'newest', 'part'];

test('the process recalls by every kind of query, and what it finds is signed', async () => {
  const settings = { memories: 300, queries: 2 };
  const { sqlite } = await measureRecall(
    settings,
    { method: findMethod(), databaseUrl: undefined },
    () => undefined,
  );
  expect(Object.keys(sqlite.byKind)).toEqual(KINDS);
});
