/** The steady clock: follows a source of time forward at once, and never goes back with it. */

/** How fast it goes while its source is behind: it meets the source again, and leases last little longer meanwhile. */
const SLOW_RATE = 0.8;

/** The clock of one store. */
export class SteadyClock {
  readonly #source: () => number;
  #nowMs: number;
  #tickMs = performance.now();

  /** `source` gives milliseconds since the epoch, and may jump. */
  constructor(source: () => number) {
    this.#source = source;
    this.#nowMs = source();
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    const tickMs = performance.now();
    const goneMs = Math.max(0, tickMs - this.#tickMs);
    this.#tickMs = tickMs;
    this.#nowMs = Math.max(this.#source(), this.#nowMs + goneMs * SLOW_RATE);
    return Math.floor(this.#nowMs);
  }

  /** Goes on to a time that others on the same database have reached. */
  catchUp(atLeast: number): void {
    this.#nowMs = Math.max(this.#nowMs, atLeast);
  }
}
