/** Token buckets: so many at once, so many per second after that. */

interface Bucket {
  tokens: number;
  atMs: number;
}

const MAX_BUCKETS = 100_000;

/** One bucket per key. */
export class RateLimiter {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, burst: number) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
  }

  /** Takes one token; 0 when there was one, else how long to wait. */
  take(key: string): number {
    const now = performance.now();
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      // Everyone starts full again after this; better than growing without end.
      if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear();
      this.#buckets.set(key, { tokens: this.#burst - 1, atMs: now });
      return 0;
    }
    const tokens = Math.min(this.#burst, bucket.tokens + (now - bucket.atMs) * this.#perMs);
    bucket.atMs = now;
    bucket.tokens = tokens >= 1 ? tokens - 1 : tokens;
    return tokens >= 1 ? 0 : (1 - tokens) / this.#perMs;
  }
}
