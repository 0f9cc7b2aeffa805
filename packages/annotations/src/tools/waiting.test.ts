import { testCaller } from '@parley/kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ToolContext } from './shapes.ts';
import { agentOf } from './shapes.ts';
import { whileWatching } from './waiting.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function fakeContext() {
  const told: number[] = [];
  let watching = 0;
  let renewed = 0;
  const parts = {
    caller: testCaller(),
    request: { id: null, era: 'modern', client: 'claude' },
    progress: async (done: number) => {
      told.push(done);
    },
    services: {
      onFault: () => undefined,
      leases: {
        renew: async () => {
          renewed += 1;
        },
      },
      presence: {
        beginWatch() {
          watching += 1;
          return () => (watching -= 1);
        },
      },
    },
  };
  // Only these parts are looked at while a tool waits.
  return { ctx: parts as unknown as ToolContext, told, watching: () => watching, renewed: () => renewed };
}

test('a wait tells its client every 10 s that it goes on, counts as present, keeps what it holds, and leaves no timer', async () => {
  const { ctx, told, watching, renewed } = fakeContext();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = whileWatching(ctx, agentOf(ctx), () => promise);
  await vi.advanceTimersByTimeAsync(9999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(25_001);
  expect(told).toEqual([1, 2, 3]);
  expect(renewed()).toBe(3);
  expect(watching()).toBe(1);
  resolve('done');
  expect(await waiting).toBe('done');
  expect([watching(), vi.getTimerCount()]).toEqual([0, 0]);
});

test('a wait that fails leaves no timer and no watch either', async () => {
  const { ctx, watching } = fakeContext();
  await expect(whileWatching(ctx, agentOf(ctx), () => Promise.reject(new Error('gone')))).rejects.toThrow(
    'gone',
  );
  expect([watching(), vi.getTimerCount()]).toEqual([0, 0]);
});
