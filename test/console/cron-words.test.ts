/** Cron as the console says it. */
import { expect, test } from 'vitest';
import { cronWords } from '../../apps/console/src/ui/cron-words.ts';

test.each([
  ['* * * * *', 'every minute'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['0 * * * *', 'every hour'],
  ['30 */2 * * *', 'every 2 hours, 30 past'],
  ['0 9 * * *', 'every day at 09:00'],
  ['0 9 * * 1-5', 'at 09:00, Monday to Friday'],
  ['5 8,20 * * 0', 'at 08:05 and 20:05, Sunday'],
  ['0 6 1,15 * *', 'at 06:00, on day 1 and 15 of the month'],
  ['0 0 1 1 *', 'at 00:00, on day 1 of the month, in January'],
  ['0 7 * JAN-MAR mon,Thu', 'at 07:00, Monday and Thursday, in January to March'],
])('%s is %s', (cron, words) => {
  expect(cronWords(cron)).toBe(words);
});

test.each([
  '0 9 1 * 1',
  '1-5 9 * * *',
  '0 25 * * *',
  '0 9 * * 9',
  '@daily',
  '0 0 9 * * *',
  '*/0 * * * *',
  '',
])('what has no plain words stays as it is: %j', (cron) => {
  expect(cronWords(cron)).toBe(cron);
});
