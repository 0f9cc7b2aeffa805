/** Token buckets: so many at once, so many per second after that. */

interface Bucket {
  tokens: number;
  atMs: number;
}

const MAX_BUCKETS = 131_072;

/** One bucket per key. */
export class TokenBuckets {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#now = now;
  }

  /** Takes tokens, one by default; 0 when there were enough, else how long to wait. */
  take(key: string, count = 1): number {
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      // The one that has been there longest starts full again; better than growing without end.
      const oldest = this.#buckets.size >= MAX_BUCKETS ? this.#buckets.keys().next().value : undefined;
      if (oldest !== undefined) this.#buckets.delete(oldest);
      bucket = { tokens: this.#burst, atMs: now };
      this.#buckets.set(key, bucket);
    }
    // A clock that is set back takes nothing away.
    const passedMs = Math.max(0, now - bucket.atMs);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + passedMs * this.#perMs);
    bucket.atMs = now;
    // More than a full bucket is let through once it is full, and paid back before the next.
    const needed = Math.min(count, this.#burst);
    if (bucket.tokens < needed) return (needed - bucket.tokens) / this.#perMs;
    bucket.tokens -= count;
    return 0;
  }
}
