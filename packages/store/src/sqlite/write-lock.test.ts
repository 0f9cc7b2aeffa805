/** What the write lock promises: the order of asking, and an end to every wait. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoreUnavailableError } from '../errors.ts';
import { LOCK_WAIT_MS, whileBusy, WriteLock } from './write-lock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const busy = (): Error => Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });

test('waiters get the lock in the order in which they asked', async () => {
  const lock = new WriteLock();
  const order: number[] = [];
  await lock.acquire();
  const waiting = [1, 2, 3].map(async (number) => {
    await lock.acquire();
    order.push(number);
    lock.release();
  });
  expect(lock.tryAcquire()).toBe(false);
  lock.release();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  expect(lock.tryAcquire()).toBe(true);
});

test('a waiter gives up in time, and the lock goes to the next one', async () => {
  const lock = new WriteLock();
  await lock.acquire();
  const impatient = lock.acquire().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(LOCK_WAIT_MS - 1);
  const patient = lock.acquire();
  await vi.advanceTimersByTimeAsync(1);
  expect(await impatient).toBeInstanceOf(StoreUnavailableError);
  lock.release();
  await patient;
  expect(lock.tryAcquire()).toBe(false);
});

test('a busy database is tried again until it is free', async () => {
  vi.useRealTimers();
  let tries = 0;
  const answer = await whileBusy(() => {
    tries += 1;
    if (tries < 4) throw busy();
    return 'written';
  });
  expect([answer, tries]).toEqual(['written', 4]);
});

test('any other failure is not tried again', async () => {
  let tries = 0;
  const failing = whileBusy(() => {
    tries += 1;
    throw new Error('no such table');
  });
  await expect(failing).rejects.toThrow('no such table');
  expect(tries).toBe(1);
});
