import { expect, test } from 'vitest';
import { createAsked, drainMsOf } from './drain.ts';

test.each<[string, Parameters<typeof drainMsOf>, number]>([
  ['what is set counts, alone', [{ areMany: false, address: undefined, drainMs: 3_000 }, 9_000], 3_000],
  ['what is set counts, among others', [{ areMany: true, address: undefined, drainMs: 0 }, 9_000], 0],
  ['alone, nobody could take over', [{ areMany: false, address: undefined, drainMs: undefined }, 5_000], 0],
  ['nobody asks', [{ areMany: true, address: undefined, drainMs: undefined }, undefined], 1_000],
  ['asked often', [{ areMany: true, address: undefined, drainMs: undefined }, 100], 1_000],
  ['twice the wait', [{ areMany: true, address: undefined, drainMs: undefined }, 2_000], 4_000],
  ['asked seldom', [{ areMany: true, address: undefined, drainMs: undefined }, 30_000], 10_000],
])('%s', (_name, given, wanted) => {
  expect(drainMsOf(...given)).toBe(wanted);
});

test('the longest wait of the last minute is remembered, and no other', () => {
  let now = 0;
  const asked = createAsked(() => now);
  expect(asked.everyMs()).toBeUndefined();
  asked.note();
  expect(asked.everyMs()).toBeUndefined();
  for (const wait of [2_000, 5_000, 1_000]) {
    now += wait;
    asked.note();
  }
  expect(asked.everyMs()).toBe(5_000);
  now += 56_000;
  expect(asked.everyMs()).toBe(1_000);
  now += 10_000;
  expect(asked.everyMs()).toBeUndefined();
  for (let count = 0; count < 20; count += 1) {
    now += 100;
    asked.note();
  }
  expect(asked.everyMs()).toBe(100);
});
