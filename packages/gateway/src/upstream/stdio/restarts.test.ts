/** When a program is started again. */
import { expect, test } from 'vitest';
import { Restarts } from './restarts.ts';
import { PROGRAM_TIMES } from './times.ts';

test('each crash of the last minutes doubles the wait, up to a minute, and is forgotten afterwards', () => {
  let now = 0;
  const restarts = new Restarts(PROGRAM_TIMES, () => now);
  expect([restarts.waitMs(), restarts.areTooMany, restarts.isClean]).toEqual([0, false, true]);
  const waits: [number, boolean][] = [];
  for (let crash = 0; crash < 8; crash += 1) {
    restarts.crashed();
    waits.push([restarts.waitMs() / 1000, restarts.areTooMany]);
    now += restarts.waitMs();
    expect(restarts.waitMs()).toBe(0);
  }
  expect(waits).toEqual([
    [1, false],
    [2, false],
    [4, false],
    [8, false],
    [16, true],
    [32, true],
    [60, true],
    [60, true],
  ]);
  now += PROGRAM_TIMES.crashWindowMs;
  expect([restarts.waitMs(), restarts.areTooMany, restarts.isClean]).toEqual([0, false, true]);
});

test('a clock that is set back delays a start by no more than its wait', () => {
  let now = 10_000_000;
  const restarts = new Restarts(PROGRAM_TIMES, () => now);
  restarts.crashed();
  now -= 5_000_000;
  expect(restarts.waitMs()).toBe(1_000);
});
