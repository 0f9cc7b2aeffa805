/** Group commit: what comes while a write is under way goes into the next one together, and nothing waits for company. */
import { detach } from './detach.ts';
import { StoreUnavailableError } from './errors.ts';

/** What became of one item of a batch that was written. */
export type Written<Result> = { readonly value: Result } | { readonly error: unknown };

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A statement stays short, and so do its locks. */
const MOST = 256;

export interface BatchOptions {
  /** The most items of one write; 256 by default. */
  readonly most?: number;
}

/** Collects items and writes them in batches, one batch at a time. */
export class Batches<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Written<Result>[]>;
  readonly #most: number;
  #waiting: Waiting<Item, Result>[] = [];
  #isDraining = false;
  #writing: Promise<void> = Promise.resolve();

  /** `write` commits all items together and answers for each of them; when it throws, nothing of them is written. */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly Written<Result>[]>,
    { most = MOST }: BatchOptions = {},
  ) {
    this.#write = write;
    this.#most = most;
  }

  /** How many wait for the write after the one that is under way. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves after the commit that has the item in it. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isDraining) return;
      this.#isDraining = true;
      detach(this.#drain(), reject);
    });
  }

  /** Resolves when the write that is under way now has ended; what waits is not waited for. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #drain(): Promise<void> {
    // Those who ask in the same turn of the event loop go together from the start.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, this.#most);
      this.#waiting = this.#waiting.slice(this.#most);
      this.#writing = this.#writeAll(batch);
      await this.#writing;
    }
    this.#isDraining = false;
  }

  async #writeAll(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const written = await this.#write(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = written[index] ?? { error: new Error('A write answered for too few of its items.') };
        if ('value' in outcome) resolve(outcome.value);
        else reject(outcome.error);
      }
    } catch (error) {
      // One that cannot be written spoils it for no other; a database that is away is away for all.
      const isShared = batch.length === 1 || error instanceof StoreUnavailableError;
      for (const one of batch) {
        if (isShared) one.reject(error);
        else await this.#writeAll([one]);
      }
    }
  }
}
