/** A database that cannot be reached is no fault of the call: callers get `unavailable` and may try again. */
import type { Middleware } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { HttpRefusal } from '@parley/http';

const RETRY_SECONDS = '5';

/** Turns a lost or full database into a tool error. */
export function unavailableStore(): Middleware {
  return {
    failed: (error) =>
      error instanceof StoreUnavailableError ? new ToolError('unavailable', error.message) : error,
  };
}

/** The same before a tool is reached: 503, or the error itself when it is something else. */
export function asHttpRefusal(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  return new HttpRefusal(503, error.message, { headers: { 'retry-after': RETRY_SECONDS } });
}
