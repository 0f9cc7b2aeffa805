/** Owns the promises of measuring the console: what is judged, and that figures of too little pass nothing. */
import { expect, test } from 'vitest';
import { judgeConsole } from './console-targets.ts';
import type { ConsoleFigures } from './console.ts';

const took = (p50Ms: number) => ({ count: 9, p50Ms, p99Ms: p50Ms });
const figures: ConsoleFigures = {
  rows: 100_000,
  interactive: took(999),
  routes: { '/': took(20), '/tasks': took(99) },
  scrolled: { frames: 600, seconds: 10, slowestMs: 17, rows: 100_000 },
  live: { told: 3000, seconds: 3, messages: 3000, longestMs: 99 },
  shown: took(400),
};
const verdictsOf = (given: Partial<ConsoleFigures>) =>
  judgeConsole({ ...figures, ...given }).map(({ verdict }) => verdict);
const misses = (index: number) => Array.from({ length: 5 }, (_, at) => (at === index ? 'miss' : 'pass'));

test.each<[string, Partial<ConsoleFigures>, number]>([
  ['nothing', {}, -1],
  ['a slow start', { interactive: took(1000) }, 0],
  ['one slow screen', { routes: { '/': took(20), '/tasks': took(100) } }, 1],
  ['dropped frames', { scrolled: { ...figures.scrolled, seconds: 10.4 } }, 2],
  ['too few rows', { scrolled: { ...figures.scrolled, rows: 99_999 } }, 2],
  ['a long task', { live: { ...figures.live, longestMs: 100 } }, 3],
  ['fewer changes than promised', { live: { ...figures.live, told: 2000 } }, 3],
  ['a page that hears nothing', { live: { ...figures.live, messages: 10 } }, 3],
  ['a late change', { shown: took(1000) }, 4],
])('misses by %s', (_what, given, index) => {
  expect(verdictsOf(given)).toEqual(misses(index));
});

test('nothing measured means nothing passed', () => {
  expect(new Set(judgeConsole(undefined).map(({ verdict }) => verdict))).toEqual(new Set(['not measured']));
});
