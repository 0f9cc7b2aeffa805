/** A database that cannot be reached is no fault of the call: callers get `unavailable` and may try again. */
import type { Middleware } from '@parley/kit';
import { ProtocolFault, ToolError } from '@parley/kit';
import { isUnkeepableText, StoreUnavailableError } from '@parley/store';
import { HttpRefusal, REFUSED } from '@parley/http';

const RETRY_SECONDS = '5';
const UNKEEPABLE =
  'A text holds the character U+0000 or half of a surrogate pair, which cannot be stored. Take it out.';
const RETRY_MS = Number(RETRY_SECONDS) * 1000;

/**
 * Turns a lost or full database into a tool error; a task meets it as it is, since another run of it may do better. A text
 * that cannot be stored is bad input of whoever brought it, and stays that in every run.
 */
export function unavailableStore(): Middleware {
  return {
    failed(error, { taskId }) {
      if (isUnkeepableText(error)) return new ToolError('invalid', UNKEEPABLE);
      return error instanceof StoreUnavailableError && taskId === null
        ? new ToolError('unavailable', error.message, { retryAfterMs: RETRY_MS })
        : error;
    },
  };
}

/** The same for a message that is no call of a tool: a sentence and a code instead of "Internal error". */
export function asProtocolFault(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  return new ProtocolFault(REFUSED, error.message, { code: 'unavailable', retryAfterMs: RETRY_MS });
}

/** The same before a tool is reached: 503, or the error itself when it is something else. */
export function asHttpRefusal(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  return new HttpRefusal(503, error.message, { headers: { 'retry-after': RETRY_SECONDS } });
}
