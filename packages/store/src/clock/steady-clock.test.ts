/** The steady clock against a source that is set forward and back. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { SteadyClock } from './steady-clock.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A clock on a wall that can be set, in a process whose time passes as it is told. */
function clockOn() {
  let tickMs = 1_000;
  let wallMs = START;
  const ticks = vi.spyOn(performance, 'now').mockImplementation(() => tickMs);
  onTestFinished(() => ticks.mockRestore());
  const clock = new SteadyClock(() => wallMs);
  return {
    clock,
    aheadMs: () => clock.now() - wallMs,
    pass: (ms: number) => {
      tickMs += ms;
      wallMs += ms;
    },
    set: (byMs: number) => {
      wallMs += byMs;
    },
  };
}

test('it goes with its source', () => {
  const { clock, pass } = clockOn();
  expect(clock.now()).toBe(START);
  pass(1_234.5);
  expect(clock.now()).toBe(START + 1_234);
});

test('a source that is set forward, or a machine that slept, is followed at once', () => {
  const { clock, set } = clockOn();
  set(HOUR);
  expect(clock.now()).toBe(START + HOUR);
});

test('a source that is set back is not followed: time goes on, more slowly, until both meet', () => {
  const { clock, pass, set, aheadMs } = clockOn();
  set(-HOUR);
  expect(clock.now()).toBe(START);
  pass(10_000);
  expect(clock.now()).toBe(START + 8_000);
  pass(5 * HOUR);
  expect(aheadMs()).toBeLessThan(1);
  pass(10_000);
  expect(aheadMs()).toBeLessThan(1);
});

test('it goes on from a time that others have reached, and not back to one', () => {
  const { clock, pass } = clockOn();
  clock.catchUp(START + HOUR);
  expect(clock.now()).toBe(START + HOUR);
  pass(1_000);
  expect(clock.now()).toBe(START + HOUR + 800);
  clock.catchUp(START);
  expect(clock.now()).toBe(START + HOUR + 800);
});
