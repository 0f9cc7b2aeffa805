/** No regular expression of the product can be made slow: each is timed over a quarter of a million hostile characters. */
import { expect, test } from 'vitest';
import { readSourceTree } from '../../scripts/check/source-tree.ts';
import { ROOT } from '../product/build.ts';
import { patternsOf, slowText } from './pattern-source.ts';

// A linear pattern needs milliseconds; a quadratic one needs minutes.
const BUDGET_MS = 500;

const { patterns, built } = patternsOf(readSourceTree(ROOT));

test('every pattern is written down, so that it can be timed here', () => {
  expect(built).toEqual([]);
  expect(patterns.length).toBeGreaterThan(100);
});

test.each([
  ['a scheme after any boundary', String.raw`\b([a-z][a-z0-9+.-]*:\/\/)[^\s:/@"]+:[^\s@/"]+@`, 'gi'],
  ['blanks at the end', String.raw`\s+$`, ''],
  ['slashes at the end', String.raw`\/+$`, ''],
  ['equals signs at the end', '=+$', ''],
  ['the rest of a line', '%.*$', ''],
  ['attributes of a tag that never closes', String.raw`<template\b[^>]*\slang\s*=`, ''],
  ['a nested repeat', String.raw`^(\w+\s?)*$`, ''],
])('the clock sees a slow pattern: %s', (_name, source, flags) => {
  expect(slowText({ source, flags }, 50)).toBeDefined();
});

test.each(patterns.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern] as const))(
  '%s is quick on any text',
  (_name, pattern) => {
    expect({ file: pattern.file, slowOn: slowText(pattern, BUDGET_MS) }).toEqual({
      file: pattern.file,
      slowOn: undefined,
    });
  },
  60_000,
);
