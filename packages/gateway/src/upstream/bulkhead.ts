/** A bulkhead: so many calls of one connection run at once, so many wait for a short time, and no more. */

export interface BulkheadLimits {
  readonly inFlight: number;
  readonly waiting: number;
  readonly waitMs: number;
}

interface Waiter {
  enter(): void;
}

export class Bulkhead {
  readonly #limits: BulkheadLimits;
  /** In the order in which they came. */
  readonly #waiters = new Set<Waiter>();
  #inFlight = 0;

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /** Takes a place: at once (undefined), or when there is one; what `refuse` makes is thrown when there is none in time. */
  enter(signal: AbortSignal, refuse: () => Error): Promise<void> | undefined {
    if (this.#inFlight < this.#limits.inFlight) {
      this.#inFlight += 1;
      return undefined;
    }
    if (this.#waiters.size >= this.#limits.waiting) throw refuse();
    return this.#wait(signal, refuse);
  }

  /** Gives a place back; who has waited longest gets it. */
  leave(): void {
    const [next] = this.#waiters;
    if (next === undefined) this.#inFlight -= 1;
    else next.enter();
  }

  #wait(signal: AbortSignal, refuse: () => Error): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', give);
      this.#waiters.delete(waiter);
    };
    const waiter: Waiter = {
      enter() {
        end();
        resolve();
      },
    };
    const give = () => {
      end();
      reject(signal.reason as Error); // whatever it is, it is what the call ends with
    };
    const timer = setTimeout(() => {
      end();
      reject(refuse());
    }, this.#limits.waitMs);
    this.#waiters.add(waiter);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
    return promise;
  }
}
