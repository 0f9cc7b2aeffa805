/** Cron: five or six fields, in the time zone that was named, daylight saving included. */
import { expect, test } from 'vitest';
import { checkCron, nextInstant, nextInstants } from './cron.ts';

test.each([
  ['0 9 * * *', 'UTC', '2030-01-01T09:00:00Z', '2030-01-02T09:00:00Z'],
  ['*/10 * * * * *', 'UTC', '2030-01-01T00:00:01Z', '2030-01-01T00:00:10Z'],
  // Clocks go forward on 31 March and back on 27 October 2030.
  ['0 9 * * *', 'Europe/Berlin', '2030-03-30T09:00:00Z', '2030-03-31T07:00:00Z'],
  ['0 9 * * *', 'Europe/Berlin', '2030-10-26T08:00:00Z', '2030-10-27T08:00:00Z'],
  ['0 0 29 2 *', 'UTC', '2030-01-01T00:00:00Z', '2032-02-29T00:00:00Z'],
])('%s in %s', (cron, zone, after, next) => {
  expect(nextInstant(cron, zone, Date.parse(after))).toBe(Date.parse(next));
});

test('one that never comes has no next instant', () => {
  expect(nextInstant('0 0 30 2 *', 'UTC', Date.UTC(2030, 0, 1))).toBeUndefined();
});

test.each([
  ['cron', '* * * *', 'UTC'],
  ['cron', '* * * * * * *', 'UTC'],
  ['cron', '@daily', 'UTC'],
  ['cron', '61 * * * *', 'UTC'],
  ['cron', 'a b c d e', 'UTC'],
  ['cron', '', 'UTC'],
  ['cron', `${'1,'.repeat(60)}1 * * * *`, 'UTC'],
  ['timezone', '* * * * *', 'Mars/Olympus'],
  ['timezone', '* * * * *', ''],
])('a bad %s is refused by its name: %s %s', (field, cron, zone) => {
  expect(() => checkCron(cron, zone)).toThrow(
    expect.objectContaining({ code: 'invalid', message: expect.stringMatching(`^${field}: `) }),
  );
});

test('the next instants are as many as there are', () => {
  const after = Date.UTC(2030, 0, 1);
  expect(nextInstants('0 9 * * *', 'UTC', after, 2)).toEqual([
    Date.UTC(2030, 0, 1, 9),
    Date.UTC(2030, 0, 2, 9),
  ]);
  expect(nextInstants('0 0 30 2 *', 'UTC', after, 2)).toEqual([]);
});
