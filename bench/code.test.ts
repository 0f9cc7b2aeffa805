/** Owns the promises of measuring code navigation: what is judged, and that every query finds what is there. */
import { expect, test } from 'vitest';
import { judgeCode } from './code-targets.ts';
import { measureCode } from './code.ts';
import type { CodeFigures } from './code.ts';

const figures = (change: Partial<CodeFigures>): CodeFigures => ({
  files: 2000,
  bytes: 1024,
  firstSeconds: 2,
  symbols: { count: 9, p50Ms: 9, p99Ms: 30 },
  references: { count: 9, p50Ms: 90, p99Ms: 90 },
  ...change,
});
const verdictsOf = (change: Partial<CodeFigures>) => judgeCode(figures(change)).map(({ verdict }) => verdict);

test('the first index and the warm query are judged, over 2000 files or not at all', () => {
  expect(verdictsOf({})).toEqual(['pass', 'pass']);
  expect(verdictsOf({ firstSeconds: 10 })).toEqual(['miss', 'pass']);
  expect(verdictsOf({ symbols: { count: 9, p50Ms: 20, p99Ms: 20 } })).toEqual(['pass', 'miss']);
  expect(verdictsOf({ files: 1999 })).toEqual(['miss', 'miss']);
  expect(judgeCode(undefined).map(({ verdict }) => verdict)).toEqual(['not measured', 'not measured']);
});

test('every query of the bench finds what it asks for', async () => {
  const { symbols, references } = await measureCode({ files: 30, queries: 1 }, () => undefined);
  expect([symbols.count, references.count]).toEqual([1, 1]);
});
