/** From the status of an answer to the fault that it means. */
import { UpstreamFault } from '../link.ts';

const LONGEST_WAIT_MS = 24 * 3_600_000;

/** The fault of an answer; undefined when the answer is for the caller. */
export function statusFault(status: number, headers: Headers, now: number): UpstreamFault | undefined {
  if (status === 401)
    return new UpstreamFault(
      'auth_required',
      'The service answered 401. Give the connection a token that it accepts.',
    );
  if (status === 403)
    return new UpstreamFault('forbidden', 'The service answered 403: it does not allow this.');
  if (status === 429)
    return new UpstreamFault(
      'rate_limited',
      'The service answered 429: too many requests. Try again later.',
      {
        retryAfterMs: retryAfter(headers.get('retry-after'), now),
      },
    );
  if (status >= 500)
    return new UpstreamFault('broken', `The service answered ${status}. Try again later.`, {
      retryAfterMs: retryAfter(headers.get('retry-after'), now),
    });
  return undefined;
}

/** The time that a service wants to be left alone for: seconds, or a date. */
function retryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const waitMs = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS) : undefined;
}
