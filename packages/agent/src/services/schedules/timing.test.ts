/** When schedules fire: in summer and winter time, after pauses, and never twice for one instant. */
import { expect, test } from 'vitest';
import type { Timing } from './schema.ts';
import { dueUpTo, firingsAfter } from './timing.ts';

const at = (text: string) => Date.parse(text);
const MINUTE = 60_000;
type Clock = Exclude<Timing, { kind: 'event' }>;
const cron = (expression: string, timezone = 'UTC'): Clock => ({ kind: 'cron', cron: expression, timezone });

test.each([
  // Clocks go forward on 31 March and back on 27 October 2030.
  ['0 9 * * *', '2030-03-30T00:00:00Z', ['2030-03-30T08:00:00Z', '2030-03-31T07:00:00Z']],
  ['0 9 * * *', '2030-10-26T00:00:00Z', ['2030-10-26T07:00:00Z', '2030-10-27T08:00:00Z']],
  ['30 2 * * *', '2030-03-30T12:00:00Z', ['2030-03-31T01:00:00Z', '2030-04-01T00:30:00Z']],
  ['30 2 * * *', '2030-10-26T12:00:00Z', ['2030-10-27T00:30:00Z', '2030-10-28T01:30:00Z']],
])('%s in Berlin after %s', async (expression, after, next) => {
  const times = await firingsAfter(cron(expression, 'Europe/Berlin'), at(after), 2);
  expect(times.map((time) => new Date(time).toISOString())).toEqual(
    next.map((text) => new Date(text).toISOString()),
  );
});

test.each<
  [name: string, timing: Clock, now: string, skipped: number, fires: string | undefined, next: string]
>([
  ['in time', cron('0 * * * *'), '2030-01-01T01:00:00Z', 0, '2030-01-01T01:00:00Z', '2030-01-01T02:00:00Z'],
  [
    '4 min 59 s late',
    cron('0 * * * *'),
    '2030-01-01T01:04:59Z',
    0,
    '2030-01-01T01:00:00Z',
    '2030-01-01T02:00:00Z',
  ],
  ['5 min late', cron('0 * * * *'), '2030-01-01T01:05:00Z', 1, undefined, '2030-01-01T02:00:00Z'],
  [
    'an hour late',
    cron('*/5 * * * *'),
    '2030-01-01T02:02:00Z',
    12,
    '2030-01-01T02:00:00Z',
    '2030-01-01T02:05:00Z',
  ],
  [
    'weeks late',
    cron('*/5 * * * *'),
    '2030-02-01T00:02:00Z',
    100,
    '2030-02-01T00:00:00Z',
    '2030-02-01T00:05:00Z',
  ],
  [
    'in steps, weeks late',
    { kind: 'interval', minutes: 7 },
    '2030-02-01T00:04:00Z',
    100,
    '2030-02-01T00:03:00Z',
    '2030-02-01T00:10:00Z',
  ],
])('%s', async (_name, timing, now, skipped, fires, next) => {
  const due = await dueUpTo(timing, at('2030-01-01T01:00:00Z'), at(now));
  expect(due.skipped).toHaveLength(skipped);
  expect(due.skipped.every((time) => at(now) - time >= 5 * MINUTE)).toBe(true);
  expect(due.fires).toBe(fires && at(fires));
  expect(due.next).toBe(at(next));
});
