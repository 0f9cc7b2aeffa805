/** From a failure of GitHub to an error that an agent can act on. */
import { ToolError } from '@parley/kit';
import * as z from 'zod';

/** The part of octokit's error that counts; its class is not loaded before it is thrown. */
const Refused = z.object({
  status: z.int(),
  response: z.object({
    headers: z.record(z.string(), z.unknown()),
    data: z.unknown(),
  }),
});

const Body = z.object({
  message: z.string().optional().catch(undefined),
  errors: z.array(z.unknown()).optional().catch(undefined),
});

const MAX_MESSAGE = 300;
const DEFAULT_WAIT_SECONDS = 60;

/** True for what may pass when it is asked again: GitHub failed, or was not reached. */
export function mayPass(error: unknown): boolean {
  const refused = Refused.safeParse(error);
  return !refused.success || refused.data.status >= 500;
}

/** The error of a request that ended with this failure. */
export function githubFault(error: unknown, nowMs: number): ToolError {
  const refused = Refused.safeParse(error);
  if (!refused.success || refused.data.status >= 500)
    return new ToolError('unavailable', 'GitHub does not answer right now. Try again later.');
  const { status, response } = refused.data;
  const said = firstMessage(response.data);
  if (status === 401)
    return new ToolError(
      'unavailable',
      'GitHub refused the token. Ask the operator to renew PARLEY_GITHUB_TOKEN.',
    );
  if (status === 429 || (status === 403 && isLimit(response.headers, said))) {
    const seconds = waitSeconds(response.headers, nowMs);
    const message = `GitHub takes no more requests for now. Try again in ${seconds} seconds.`;
    return new ToolError('rate_limited', message, { retry_after: seconds });
  }
  if (status === 403) return new ToolError('forbidden', `GitHub does not allow it: ${said}`);
  if (status === 404)
    return new ToolError('not_found', 'GitHub has no such thing, or does not show it to this token.');
  if (status === 409) return new ToolError('conflict', `GitHub refused: ${said}`);
  return new ToolError('invalid', `GitHub refused: ${said}`);
}

/** What GitHub says first about what was wrong. */
function firstMessage(data: unknown): string {
  const { message, errors } = Body.catch({ message: undefined, errors: undefined }).parse(data);
  const [first] = errors ?? [];
  const detail = typeof first === 'string' ? first : Body.safeParse(first).data?.message;
  return (detail ?? message ?? 'it gave no reason').replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
}

/** The secondary limit comes as 403 as well. */
function isLimit(headers: Readonly<Record<string, unknown>>, said: string): boolean {
  if (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0') return true;
  return said.toLowerCase().includes('secondary rate limit');
}

function waitSeconds(headers: Readonly<Record<string, unknown>>, nowMs: number): number {
  const told = Number(headers['retry-after'] ?? NaN);
  if (Number.isFinite(told)) return Math.max(1, Math.ceil(told));
  const reset = Number(headers['x-ratelimit-reset'] ?? NaN);
  if (Number.isFinite(reset)) return Math.max(1, Math.ceil(reset - nowMs / 1000));
  return DEFAULT_WAIT_SECONDS;
}
