/** Requests to another server: addressed, repeated where that is safe, and turned into data or a typed error. */
import { randomUUID } from 'node:crypto';
import { joinPath } from '@parley/kit/egress';
import {
  authenticationFailed,
  failed,
  fieldOf,
  limited,
  messageOf,
  notOffered,
  refused,
  unexpected,
} from './faults.ts';
import type { RemoteLimits, Times } from './retry.ts';
import { REMOTE_LIMITS, retryAfterMs, SYSTEM_TIMES, tableWaitMs } from './retry.ts';
import type { RemoteTarget } from './settings.ts';
import type { RemoteAnswer, SentRequest, Transport } from './transport.ts';
import { NoAnswer } from './transport.ts';

/** One call of the API. */
export interface RemoteCall {
  readonly method: SentRequest['method'];
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What the route is for, when an older server may lack it. */
  readonly what?: string;
}

/** The envelope of an answer; undefined for an answer without a body. */
export type Envelope = { readonly data: unknown; readonly pagination: unknown } | undefined;

/** Speaks to one server. */
export interface RemoteClient {
  request(call: RemoteCall, signal: AbortSignal): Promise<Envelope>;
}

/** What a client is made from. */
export interface RemoteClientOptions {
  readonly target: RemoteTarget;
  readonly transport: Transport;
  readonly userAgent: string;
  readonly times?: Times;
  readonly limits?: Partial<RemoteLimits>;
}

interface Failure {
  readonly error: Error;
  readonly isRepeatable: boolean;
  /** What the server asked for. */
  readonly waitMs?: number | undefined;
}

/** Creates the client; it remembers for its life what the server has shown. */
export function createRemoteClient(options: RemoteClientOptions): RemoteClient {
  const { target, transport, userAgent, times = SYSTEM_TIMES } = options;
  const limits = { ...REMOTE_LIMITS, ...options.limits };
  const missing = new Set<string>();
  let isRepeatSafe = false;

  function toSend({ method, path, query = {}, body }: RemoteCall): SentRequest {
    const url = joinPath(target.base, ...path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${target.key}`,
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    };
    return { method, url, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  }

  async function attempt(sent: SentRequest, number: number, attemptMs: number, signal: AbortSignal) {
    const isPost = sent.method === 'POST';
    let answer: RemoteAnswer;
    try {
      answer = await transport(sent, attemptMs, signal);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      const isOpen = isPost && error.wasSent;
      return lost(failed(error.message, { mayBeMade: isOpen }), !isOpen || isRepeatSafe);
    }
    isRepeatSafe ||= answer.headers.get('idempotency-supported')?.trim().toLowerCase() === 'true';
    return (
      failureOf(answer, { number, isPost, isRepeatSafe, now: times.now(), maxWaitMs: limits.maxWaitMs }) ??
      answer
    );
  }

  return {
    async request(call, signal) {
      if (call.what !== undefined && missing.has(call.what)) throw notOffered(call.what);
      const sent = toSend(call);
      const started = times.now();
      for (let number = 1; ; number += 1) {
        signal.throwIfAborted();
        const leftMs = limits.totalMs - (times.now() - started);
        const outcome = await attempt(sent, number, Math.min(limits.attemptMs, leftMs), signal);
        if (!('error' in outcome)) {
          if (call.what !== undefined && lacksRoute(outcome)) {
            missing.add(call.what);
            throw notOffered(call.what);
          }
          return envelopeOf(outcome);
        }
        const waitMs = outcome.waitMs ?? tableWaitMs(number, times.random());
        const isLast = number >= limits.attempts || waitMs > limits.maxWaitMs;
        const isTooLate = times.now() - started + waitMs >= limits.totalMs;
        if (!outcome.isRepeatable || isLast || isTooLate) throw outcome.error;
        await times.wait(waitMs, signal);
      }
    },
  };
}

function lost(error: Error, isRepeatable: boolean): Failure {
  return { error, isRepeatable };
}

/** What makes an answer worth another attempt; undefined for one that settles the call. */
function failureOf(
  { status, headers, body }: RemoteAnswer,
  call: { number: number; isPost: boolean; isRepeatSafe: boolean; now: number; maxWaitMs: number },
): Failure | undefined {
  if (status !== 429 && status < 500) return undefined;
  const waitMs = retryAfterMs(headers.get('retry-after'), call.now);
  const message = messageOf(status, body);
  if (status === 429) {
    const seconds = Math.ceil((waitMs ?? tableWaitMs(call.number, 0.5)) / 1000);
    return { error: limited(message, Math.max(1, seconds)), isRepeatable: true, waitMs };
  }
  const isLong = waitMs !== undefined && waitMs > call.maxWaitMs;
  const seconds = isLong ? Math.ceil(waitMs / 1000) : undefined;
  const error = failed(message, { mayBeMade: call.isPost, seconds });
  return { error, isRepeatable: !call.isPost || call.isRepeatSafe, waitMs };
}

// What an API of this kind says about a thing; anything else at 404 is about the route.
const MISSING_THING = /^[a-z][a-z ]{1,40} not found\b/i;

function lacksRoute({ status, body }: RemoteAnswer): boolean {
  if (status === 405) return true;
  if (status !== 404) return false;
  const message = messageOf(status, body);
  return !MISSING_THING.test(message) || /^(?:route|page|path|url|endpoint|resource)\b/i.test(message);
}

function envelopeOf({ status, body }: RemoteAnswer): Envelope {
  if (status === 401 || status === 403) throw authenticationFailed(status);
  if (status >= 400) throw refused(status, messageOf(status, body));
  if (status === 204) return undefined;
  const data = fieldOf(body, 'data');
  if (data === undefined) throw unexpected();
  return { data, pagination: fieldOf(fieldOf(body, 'meta'), 'pagination') ?? fieldOf(body, 'pagination') };
}
