/** Work that is due for many: done for a few at a time, never twice at once for the same, and again when it fails. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { detach } from './detach.ts';

/** What is done, and how. */
export interface DueWorkOptions<Item> {
  work(item: Item): Promise<void>;
  /** Told once when work begins to fail, not for every failure until it works again. */
  onFault(error: unknown): void;
}

// Few, because requests need the database meanwhile.
const AT_ONCE = 4;
const RETRY_MS = 1000;
// After its work a worker rests twice as long, so that under load requests come first and more is done together.
const REST_FACTOR = 2;

/** A queue in which everything stands at most once. */
export class DueWork<Item> {
  readonly #options: DueWorkOptions<Item>;
  readonly #due = new Set<Item>();
  readonly #running = new Set<Item>();
  readonly #failed = new Set<Item>();
  #workers = 0;
  #retry: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor(options: DueWorkOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#isClosed) return;
    this.#due.add(item);
    // The run under way sees that it is due again.
    if (this.#workers >= AT_ONCE || this.#running.has(item)) return;
    this.#workers += 1;
    detach(this.#work(), (error) => this.#options.onFault(error));
  }

  /** It is gone, so nothing is due for it. */
  delete(item: Item): void {
    this.#due.delete(item);
    this.#failed.delete(item);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#due.clear();
  }

  async #work(): Promise<void> {
    let restMs = 0;
    try {
      for (;;) {
        // What becomes due in one turn is done together, and in between requests have theirs.
        await turn();
        const item = this.#next();
        if (item === undefined) return;
        const startedMs = performance.now();
        await this.#do(item);
        restMs += REST_FACTOR * (performance.now() - startedMs);
        if (restMs < 1) continue;
        await delay(Math.min(restMs, RETRY_MS));
        restMs = 0;
      }
    } finally {
      this.#workers -= 1;
    }
  }

  #next(): Item | undefined {
    for (const item of this.#due) if (!this.#running.has(item)) return item;
    return undefined;
  }

  async #do(item: Item): Promise<void> {
    this.#due.delete(item);
    this.#running.add(item);
    try {
      await this.#options.work(item);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onFault(error);
      this.#isFailing = true;
      this.#failed.add(item);
      this.#retry ??= setTimeout(() => this.#again(), RETRY_MS).unref();
    } finally {
      this.#running.delete(item);
    }
  }

  #again(): void {
    this.#retry = undefined;
    const failed = [...this.#failed];
    this.#failed.clear();
    for (const item of failed) this.add(item);
  }
}
