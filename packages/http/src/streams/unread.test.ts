/** The budget for what clients leave unread. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outlet } from './unread.ts';
import { UnreadBytes } from './unread.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const LIMITS = { freeBytes: 10, streamBytes: 50, sharedBytes: 100, patienceMs: 1000 };

/** An outlet whose client reads when the test says so. */
function outlet(unread: UnreadBytes) {
  const state = { unreadBytes: 0, isCut: false };
  const self: Outlet = { unreadBytes: () => state.unreadBytes, cut: () => (state.isCut = true) };
  return {
    state,
    write(sizeBytes: number): boolean {
      const isTaken = unread.admit(self, sizeBytes);
      if (isTaken) state.unreadBytes += sizeBytes;
      return isTaken;
    },
  };
}

test.each([
  { name: 'the free part is always there', writes: [5, 5], isCut: false },
  { name: 'one message of any size follows when all was read', writes: [500], isCut: false },
  { name: 'nothing follows a message that is too large and unread', writes: [500, 1], isCut: true },
  { name: 'one stream holds up to its own part', writes: [20, 20, 10], isCut: false },
  { name: 'and no more', writes: [20, 20, 11], isCut: true },
])('$name', ({ writes, isCut }) => {
  const stream = outlet(new UnreadBytes(LIMITS));
  const taken = writes.map((sizeBytes) => stream.write(sizeBytes));
  expect(stream.state.isCut).toBe(isCut);
  expect(taken.every(Boolean)).toBe(!isCut);
});

test('all streams together hold no more than they share, and what was read makes room', () => {
  const unread = new UnreadBytes(LIMITS);
  const [first, second, third] = [outlet(unread), outlet(unread), outlet(unread)];
  for (const stream of [first, second]) for (const size of [20, 20]) stream.write(size);
  third.write(10);
  expect(third.write(20)).toBe(false);
  expect([first, second, third].map(({ state }) => state.isCut)).toEqual([false, false, true]);
  first.state.unreadBytes = 0;
  const fourth = outlet(unread);
  expect([fourth.write(10), fourth.write(20)]).toEqual([true, true]);
});

test('a stream that is not read for too long is cut, one that is read is not', () => {
  const unread = new UnreadBytes(LIMITS);
  const [asleep, awake] = [outlet(unread), outlet(unread)];
  for (const stream of [asleep, awake]) stream.write(40);
  awake.state.unreadBytes = 0;
  vi.advanceTimersByTime(1000);
  expect([asleep.state.isCut, awake.state.isCut]).toEqual([true, false]);
});
