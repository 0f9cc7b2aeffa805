/** How often a caller may call tools that reach outside or run things, which have a lower limit than requests. */
import { TokenBuckets } from '@parley/http';
import type { Middleware } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Limits } from '../limits.ts';

/** Counts calls of such tools. */
export function heavyCallRate(limits: Limits): Middleware {
  const limiter = new TokenBuckets(limits.heavyRatePerSecond, limits.heavyRateBurst);
  return {
    concerns: ({ external, effect, ownRate }) => (external || effect === 'run') && !ownRate,
    call({ tool, caller, taskId }, next) {
      // A task was counted when it was made; how often it wakes is not its caller's doing.
      if (taskId !== null) return next();
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
