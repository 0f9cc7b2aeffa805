/** Hands values from one side of a test to the other, in order, without polling. */

/** A queue that can be awaited. */
export class Mailbox<T> {
  readonly #values: T[] = [];
  readonly #waiting: ((value: T) => void)[] = [];

  put(value: T): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#values.push(value);
    else next(value);
  }

  /** The oldest value that was not taken yet; waits when there is none. */
  take(): Promise<T> {
    const value = this.#values.shift();
    if (value !== undefined) return Promise.resolve(value);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** How many values wait to be taken. */
  get size(): number {
    return this.#values.length;
  }
}
