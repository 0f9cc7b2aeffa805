/** The third stage: how often a caller may come. What they may call, the kit's resolver decides. */
import { HttpRefusal, TokenBuckets } from '@parley/http';
import type { Caller } from '@parley/kit';
import type { Limits } from '../limits.ts';

/** Counts requests of a caller, one by default; throws 429 when there are too many. */
export type CountRequest = (caller: Caller, count?: number) => void;

/** Creates the stage. */
export function createRequestRate(limits: Pick<Limits, 'ratePerSecond' | 'rateBurst'>): CountRequest {
  const limiter = new TokenBuckets(limits.ratePerSecond, limits.rateBurst);
  return (caller, count = 1) => {
    const waitMs = limiter.take(caller.id, count);
    if (waitMs === 0) return;
    const seconds = String(Math.ceil(waitMs / 1000));
    throw new HttpRefusal(429, `Too many requests. Try again in ${seconds} s.`, {
      headers: {
        'retry-after': seconds,
      },
    });
  };
}
