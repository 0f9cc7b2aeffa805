/** How often requests may come: per client address, and per key or caller where that is set. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '@parley/kit';
import type { Store } from '@parley/store';
import { byEngine } from '@parley/store';
import { createClientAddress } from '../door/client-address.ts';
import { HttpRefusal } from '../refusal.ts';
import { MemoryWindows } from './memory-windows.ts';
import { createPostgresWindows } from './postgres-windows.ts';
import type { RateCounter, Share } from './window.ts';
import { MINUTE } from './window.ts';

/** How many requests a minute may bring. */
export interface RateOptions {
  /** Per client address; 100 by default. With `countCaller`, only of requests that no valid key came with. */
  readonly ratePerMinute?: number;
  /** Per API key, whatever addresses it comes from; no limit by default. */
  readonly ratePerKeyPerMinute?: number;
  /** Counts a request of a known caller; throws when there were too many. Nobody else at the address uses it up. */
  readonly countCaller?: ((caller: Caller) => void) | undefined;
  /** Proxies whose `X-Forwarded-For` counts: addresses, or ranges like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Wrong keys per client address; 10 by default. */
  readonly failedKeysPerMinute?: number;
}

/** What the count of a toolset is kept in. */
export interface RateParts {
  readonly store: Store;
  readonly toolset: string;
  readonly now: () => number;
}

/** Counts requests and refuses those that are too many. */
export interface RequestRate {
  /** Counts a request, before its key is looked at. */
  count(req: IncomingMessage, keyText: string | undefined): Promise<void>;
  /** Counts a wrong key; throws when there were too many. */
  countFailure(req: IncomingMessage): Promise<void>;
  sweep(): Promise<void>;
}

/** Creates the limit; replicas on PostgreSQL share what they count. */
export function createRequestRate({ store, toolset, now }: RateParts, options: RateOptions): RequestRate {
  const { ratePerMinute = 100, ratePerKeyPerMinute, failedKeysPerMinute = 10, trustedProxies = [] } = options;
  const addressOf = createClientAddress(trustedProxies);
  const createCounter = byEngine(store.engine, {
    sqlite: (): RateCounter => new MemoryWindows(MINUTE),
    postgres: () => createPostgresWindows(store, toolset),
  });
  const requests = createCounter();
  // A brake on guessing, not an account of use: each process has its own.
  const failures = new MemoryWindows(MINUTE);
  return {
    async count(req, keyText) {
      const shares = [{ name: `address:${addressOf(req)}`, limit: ratePerMinute }];
      if (ratePerKeyPerMinute !== undefined && keyText !== undefined)
        shares.push({ name: `key:${hash('sha256', keyText, 'base64url')}`, limit: ratePerKeyPerMinute });
      await take(requests, shares, 'Too many requests.');
    },
    countFailure: (req) =>
      take(failures, [{ name: addressOf(req), limit: failedKeysPerMinute }], 'Too many wrong keys.'),
    async sweep() {
      failures.sweep(now());
      await requests.sweep(now());
    },
  };

  async function take(counter: RateCounter, shares: readonly Share[], what: string): Promise<void> {
    const waitMs = await counter.take(shares, now());
    if (waitMs <= 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const text = `${what} Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
    throw new HttpRefusal('RATE_LIMITED', text, { headers: { 'retry-after': String(seconds) } });
  }
}
