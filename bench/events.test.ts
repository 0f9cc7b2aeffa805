/** Owns the promises of measuring events: what is judged, and what stands beside it. */
import { expect, test } from 'vitest';
import { judgeEvents } from './event-targets.ts';
import type { EventKillCount } from './event-kill.ts';
import type { EventSpeed } from './events.ts';

const speed = (p50Ms: number, publishedPerSecond: number): EventSpeed => ({
  delivered: { count: 200, p50Ms, p99Ms: p50Ms },
  publishedPerSecond,
  takenPerSecond: publishedPerSecond,
  hookedPerSecond: publishedPerSecond / 2,
});
const kill: EventKillCount = {
  published: 10_000,
  unanswered: 3,
  requests: 13_000,
  failures: 2500,
  lost: 0,
  repeated: 4,
  unexplained: 0,
  open: 0,
  silenceMs: 31_000,
  ticks: 90,
  wrongTicks: 0,
  seconds: 120,
};
const verdicts = (sqlite: EventSpeed, counted = kill) =>
  judgeEvents({ sqlite, postgres: sqlite, kill: counted }).map(({ verdict }) => verdict);

test('a time at its limit is not under it, a rate at its limit is kept', () => {
  expect(verdicts(speed(19.9, 2000))).toEqual(['pass', 'pass', 'pass', 'pass']);
  expect(verdicts(speed(20, 1999))).toEqual(['miss', 'miss', 'miss', 'pass']);
});

test('the rate of PostgreSQL is judged, and its time to deliver stands beside that of SQLite', () => {
  const both = judgeEvents({ sqlite: speed(1, 5000), postgres: speed(900, 10) });
  expect(both.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'miss', 'not measured']);
  expect(both[0]?.note).toContain('PostgreSQL 900 ms');
});

test('what was not measured is not judged', () => {
  expect(new Set(judgeEvents(undefined).map(({ verdict }) => verdict))).toEqual(new Set(['not measured']));
});

test('a delivery that is lost, open, or comes twice without a lost lease is a miss, and so are too few events', () => {
  const last = (changed: Partial<EventKillCount>) => verdicts(speed(1, 5000), { ...kill, ...changed }).at(-1);
  expect(last({ repeated: 100 })).toBe('pass');
  for (const changed of [
    { lost: 1 },
    { open: 1 },
    { unexplained: 1 },
    { wrongTicks: 1 },
    { published: 9999 },
  ])
    expect(last(changed), JSON.stringify(changed)).toBe('miss');
});
