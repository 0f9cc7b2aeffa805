/** The fourth stage: how often a caller may call. What they may call, the kit's resolver decides. */
import type { Caller, Middleware } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { HttpRefusal, TokenBuckets } from '@parley/http';
import type { Limits } from '../limits.ts';

/** Counts requests of a caller; throws 429 when there are too many. */
export function createRequestRate(limits: Limits): (caller: Caller, count?: number) => void {
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

/** Counts calls of tools that reach outside or run things, which have a lower limit. */
export function heavyCallRate(limits: Limits): Middleware {
  const limiter = new TokenBuckets(limits.heavyRatePerSecond, limits.heavyRateBurst);
  return {
    call({ tool, caller, taskId }, next) {
      // A task was counted when it was made; how often it wakes is not its caller's doing.
      if ((!tool.external && tool.effect !== 'run') || taskId !== null) return next();
      const waitMs = limiter.take(caller.id);
      if (waitMs === 0) return next();
      const seconds = Math.ceil(waitMs / 1000);
      throw new ToolError(
        'rate_limited',
        `Too many calls of tools like ${tool.name}. Try again in ${seconds} s.`,
        {
          retryAfterMs: Math.ceil(waitMs),
        },
      );
    },
  };
}
