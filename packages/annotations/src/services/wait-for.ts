/** Waiting for a condition on the data: listen first, look, then wait for a change. */

/** What is waited for, and until when. */
export interface WaitFor<T> {
  /** Starts listening; `wake` may be called often. Returns the function that ends it. */
  arm(wake: () => void): () => void;
  /** Looks; undefined means not yet. */
  check(): Promise<T | undefined>;
  /** Counts the time of the wait as what the caller wanted. */
  held<Waited>(waiting: Promise<Waited>): Promise<Waited>;
  readonly timeoutMs: number;
  /** The client's end: throws. */
  readonly signal: AbortSignal;
  /** The server's end: returns undefined, like the timeout. */
  readonly stopping: AbortSignal;
}

/** The first value that `check` finds; undefined after the time or when the server stops. */
export async function waitFor<T>(options: WaitFor<T>): Promise<T | undefined> {
  const { arm, check, held, timeoutMs, signal, stopping } = options;
  const wakeUp = new WakeUp();
  const disarm = arm(() => wakeUp.wake());
  const end = () => wakeUp.end();
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end);
  stopping.addEventListener('abort', end);
  try {
    for (;;) {
      const found = await check();
      signal.throwIfAborted();
      if (found !== undefined || timeoutMs === 0 || wakeUp.isOver || stopping.aborted) return found;
      await held(wakeUp.next());
    }
  } finally {
    disarm();
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    stopping.removeEventListener('abort', end);
  }
}

/** Remembers a wake that comes while nobody waits. */
class WakeUp {
  isOver = false;
  #isDue = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#isDue = true;
    this.#resolve?.();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  async next(): Promise<void> {
    if (!this.#isDue) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      await promise;
      this.#resolve = undefined;
    }
    this.#isDue = false;
  }
}
