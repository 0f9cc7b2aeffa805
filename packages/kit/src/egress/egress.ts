/** Owns the guarded fetch: every outbound request is checked, pinned, followed and capped here. */
import type { Dispatcher } from 'undici';
import { parseAllowList } from './allow-list.ts';
import type { Answer } from './answer.ts';
import { discard, toResponse } from './answer.ts';
import type { Connections } from './connections.ts';
import { createConnections } from './connections.ts';
import { EgressError, toEgressFailure } from './errors.ts';
import type { Line } from './line.ts';
import { createLine } from './line.ts';
import type { EgressLimits, EgressPolicy } from './policy.ts';
import { DEFAULT_EGRESS_LIMITS } from './policy.ts';
import type { Hop } from './redirect.ts';
import { nextHop } from './redirect.ts';
import type { EgressInit } from './request.ts';
import { firstHop } from './request.ts';
import type { EgressResponse } from './response.ts';
import type { CheckOptions, Target } from './target.ts';
import { checkTarget, parseUrl, resolveWithSystem } from './target.ts';
import type { Timer } from './timer.ts';
import { startTimer } from './timer.ts';

/** The one way out of the process. */
export interface Egress {
  /** Sends a request; rejects with an `EgressError`, or with the reason of the caller's own signal. */
  fetch(url: string | URL, init?: EgressInit): Promise<EgressResponse>;
  /** Says whether an address may be reached, without connecting. */
  check(url: string | URL, options?: { allow?: readonly string[] | undefined }): Promise<void>;
  /** A way to one address for many requests; the address is checked with the first of them, and again and again. */
  line(url: string | URL, options?: LineOptions): Line;
  /** Ends every open connection. */
  close(): Promise<void>;
}

/** Whose way it is, and under which rights. */
export interface LineOptions {
  readonly allow?: readonly string[] | undefined;
  /** Requests of one owner share sockets, and take none from those of others. */
  readonly owner?: string | undefined;
}

/**
 * Makes a guarded fetch.
 *
 * @example
 * const egress = createEgress({ allow: ["localhost:3000"] });
 * const answer = await egress.fetch("https://example.com/data.json");
 * const data = await answer.json();
 */
export function createEgress(policy: EgressPolicy = {}): Egress {
  const limits: EgressLimits = { ...DEFAULT_EGRESS_LIMITS, ...policy.limits };
  const rules = parseAllowList(policy.allow);
  const connections = createConnections(limits);
  const checkOptions = (allow: readonly string[] | undefined): CheckOptions => ({
    rules: [...rules, ...parseAllowList(allow)],
    resolve: policy.resolve ?? resolveWithSystem,
    timeoutMs: limits.connectTimeoutMs,
  });

  return {
    fetch: async (url, init = {}) => {
      const timer = startTimer(init.limitMs ?? limits.totalTimeoutMs, init.signal);
      try {
        const options = { ...checkOptions(init.allow), signal: timer.signal };
        const check = (hop: Hop): Promise<Target> => checkTarget(hop.url, options);
        const isFollowing = init.redirect !== 'manual';
        const answer = await follow(firstHop(url, init), { check, connections, timer, limits, isFollowing });
        return await toResponse(answer, { timer, limits, isStream: init.stream === true });
      } catch (error) {
        timer.stop();
        throw toEgressFailure(error, timer.signal);
      }
    },
    check: async (url, { allow } = {}) => {
      await checkTarget(url, checkOptions(allow));
    },
    line(given, { allow, owner } = {}) {
      const url = parseUrl(given);
      const options = checkOptions(allow);
      const check = async () => ({ ...(await checkTarget(url, options)), owner });
      return createLine(url, { check, connections, limits });
    },
    close: () => connections.close(),
  };
}

interface FollowOptions {
  readonly check: (hop: Hop) => Promise<Target>;
  readonly connections: Connections;
  readonly timer: Timer;
  readonly limits: EgressLimits;
  readonly isFollowing: boolean;
}

async function follow(first: Hop, options: FollowOptions): Promise<Answer> {
  const { check, connections, timer, limits, isFollowing } = options;
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const target = await check(hop);
    const data = await connections.send(target, hop, timer.signal);
    const next = isFollowing ? redirectOf(data, hop) : undefined;
    if (next === undefined) return { data, hop };
    if (redirects >= limits.maxRedirects) {
      throw new EgressError(
        'not_allowed',
        `The server redirected more than ${limits.maxRedirects} times. Ask for the final address directly.`,
      );
    }
    hop = next;
  }
}

function redirectOf(data: Dispatcher.ResponseData, hop: Hop): Hop | undefined {
  const location = data.headers['location'];
  try {
    const next = nextHop(hop, data.statusCode, Array.isArray(location) ? location[0] : location);
    if (next !== undefined) discard(data);
    return next;
  } catch (error) {
    discard(data);
    throw error;
  }
}
