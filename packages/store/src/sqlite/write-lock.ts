/** The write lock: one writer at a time in this process, in the order of asking, and a bounded wait for other processes. */
import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.ts';
import { isBusy } from './errors.ts';

/** Longest wait for the lock, in this process and for another one. */
export const LOCK_WAIT_MS = 5_000;

const FIRST_RETRY_MS = 1;
const LONGEST_RETRY_MS = 25;

/** A pause in which every other process that waits has looked at the lock. */
export const TURN_MS = 30;

/** A first-come-first-served lock whose waiters give up after a while. */
export class WriteLock {
  #isHeld = false;
  readonly #waiters = new Set<() => void>();

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** How many wait for it. */
  get waiting(): number {
    return this.#waiters.size;
  }

  tryAcquire(): boolean {
    if (this.#isHeld) return false;
    this.#isHeld = true;
    return true;
  }

  acquire(): Promise<void> {
    if (this.tryAcquire()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new StoreUnavailableError('busy'));
      }, LOCK_WAIT_MS);
      this.#waiters.add(waiter);
    });
  }

  release(): void {
    const next = this.#waiters.values().next().value;
    if (!next) {
      this.#isHeld = false;
      return;
    }
    this.#waiters.delete(next);
    next();
  }
}

/** Runs `write` again while another process holds the database, without holding the event loop. */
export async function whileBusy<T>(write: () => T): Promise<T> {
  const startedAt = performance.now();
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
    try {
      return write();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAt > LOCK_WAIT_MS) throw error;
    }
    await delay(retryMs);
  }
}
