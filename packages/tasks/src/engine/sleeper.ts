/** Many sleeps, one timer: the one of the sleep that ends next. A clock that is set back does not lengthen them. */

interface Sleep {
  readonly dueAt: number;
  readonly wake: () => void;
}

/** Wakes sleepers in time without a timer for each. */
export class Sleeper {
  readonly #sleeps = new Set<Sleep>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  /** Resolves after the time; rejects when the signal fires first. */
  sleep(waitMs: number, signal: AbortSignal): Promise<void> {
    const dueAt = performance.now() + waitMs;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(abortReason(signal));
        return;
      }
      const onAbort = () => {
        this.#sleeps.delete(sleep);
        reject(abortReason(signal));
      };
      const sleep: Sleep = {
        dueAt,
        wake() {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#sleeps.add(sleep);
      this.#arm(dueAt);
    });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #arm(dueAt: number): void {
    if (dueAt >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = dueAt;
    this.#timer = setTimeout(() => this.#wakeDue(), Math.max(0, Math.ceil(dueAt - performance.now())));
  }

  #wakeDue(): void {
    const now = performance.now();
    this.#timerAt = Infinity;
    let next = Infinity;
    for (const sleep of this.#sleeps) {
      if (sleep.dueAt > now) next = Math.min(next, sleep.dueAt);
      else {
        this.#sleeps.delete(sleep);
        sleep.wake();
      }
    }
    if (next < Infinity) this.#arm(next);
  }
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The wait was stopped.');
}
