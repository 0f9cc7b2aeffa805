/** Owns the promises of measuring events: what is judged, and what stands beside it. */
import { expect, test } from 'vitest';
import { judgeEvents } from './event-targets.ts';
import type { EventSpeed } from './events.ts';

const speed = (p50Ms: number, publishedPerSecond: number): EventSpeed => ({
  delivered: { count: 200, p50Ms, p99Ms: p50Ms },
  publishedPerSecond,
  takenPerSecond: publishedPerSecond / 2,
});
const verdicts = (sqlite: EventSpeed) => judgeEvents({ sqlite }).map(({ verdict }) => verdict);

test('a time at its limit is not under it, a rate at its limit is kept', () => {
  expect(verdicts(speed(19.9, 2000))).toEqual(['pass', 'pass']);
  expect(verdicts(speed(20, 1999))).toEqual(['miss', 'miss']);
});

test('figures of PostgreSQL stand beside those of SQLite and change no verdict', () => {
  const both = judgeEvents({ sqlite: speed(1, 5000), postgres: speed(900, 10) });
  expect(both.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
  expect(both[0]?.note).toContain('PostgreSQL 900 ms');
});

test('what was not measured is not judged', () => {
  expect(judgeEvents(undefined).map(({ verdict }) => verdict)).toEqual(['not measured', 'not measured']);
});
