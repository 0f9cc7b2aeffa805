/** The rate limit of REST: per client address before anything else, and per key where that is set. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Store } from '@parley/store';
import { byEngine } from '@parley/store';
import { RestError } from '../errors.ts';
import { createClientAddress } from './client-address.ts';
import { createMemoryCounter } from './memory-counter.ts';
import { createPostgresCounter } from './postgres-counter.ts';
import type { RateCounter } from './window.ts';

/** How many requests a minute may bring. */
export interface RateOptions {
  /** Per client address; 100 unless told. */
  readonly ratePerMinute?: number;
  /** Per API key, whatever addresses it comes from; no limit unless told. */
  readonly ratePerKeyPerMinute?: number;
  /** Proxies whose `X-Forwarded-For` counts: addresses, or ranges like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Wrong keys per client address; 10 unless told. */
  readonly failedKeysPerMinute?: number;
}

/** Counts requests and refuses those that are too many. */
export interface RateLimiter {
  /** Counts a request, before its key is looked at. */
  count(req: IncomingMessage, keyText: string | undefined): Promise<void>;
  /** Counts a wrong key; throws when there were too many. */
  countFailure(req: IncomingMessage): Promise<void>;
  sweep(): Promise<void>;
}

/** Creates the limiter; replicas on PostgreSQL share what they count. */
export function createRateLimiter(store: Store, options: RateOptions, now: () => number): RateLimiter {
  const { ratePerMinute = 100, ratePerKeyPerMinute, failedKeysPerMinute = 10, trustedProxies = [] } = options;
  const addressOf = createClientAddress(trustedProxies);
  const createCounter = byEngine(store.engine, {
    sqlite: createMemoryCounter,
    postgres: createPostgresCounter,
  });
  const requests = createCounter(store);
  // A brake on guessing, not an account of use: each process has its own.
  const failures = createMemoryCounter();
  return {
    async count(req, keyText) {
      const buckets = [{ name: `address:${addressOf(req)}`, limit: ratePerMinute }];
      if (ratePerKeyPerMinute !== undefined && keyText !== undefined)
        buckets.push({ name: `key:${hash('sha256', keyText, 'base64url')}`, limit: ratePerKeyPerMinute });
      await take(requests, buckets, 'Too many requests.');
    },
    countFailure: (req) =>
      take(failures, [{ name: addressOf(req), limit: failedKeysPerMinute }], 'Too many wrong keys.'),
    async sweep() {
      await Promise.all([requests.sweep(now()), failures.sweep(now())]);
    },
  };

  async function take(
    counter: RateCounter,
    buckets: Parameters<RateCounter['take']>[0],
    what: string,
  ): Promise<void> {
    const waitMs = await counter.take(buckets, now());
    if (waitMs <= 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new RestError(
      'RATE_LIMITED',
      `${what} Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      {
        headers: { 'retry-after': String(seconds) },
      },
    );
  }
}
