/** Requests to another server: addressed, repeated where that is safe, and turned into data or a typed error. */
import { randomUUID } from 'node:crypto';
import { joinPath } from '@parley/kit/egress';
import {
  authenticationFailed,
  BadAnswer,
  failed,
  fieldOf,
  limited,
  messageOf,
  NotOffered,
  refused,
  unexpected,
} from './faults.ts';
import type { RemoteLimits, Times } from './retry.ts';
import { REMOTE_LIMITS, retryAfterMs, SYSTEM_TIMES, tableWaitMs } from './retry.ts';
import type { RemoteTarget } from './settings.ts';
import type { RemoteAnswer, SentRequest, Transport } from './transport.ts';
import { NoAnswer, TOO_SLOW } from './transport.ts';

/** One call of the API. */
export interface RemoteCall {
  readonly method: SentRequest['method'];
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What the route is for, when a server may lack it. */
  readonly what?: string;
  /** True for what makes something new. */
  readonly isNew?: boolean;
}

/** What an answer holds. */
export interface Envelope {
  /** Undefined for an answer without a body. */
  readonly data: unknown;
  readonly pagination: unknown;
  /** The error for data that is not what it should be; it tells what may have happened all the same. */
  unreadable(cause: string): Error;
}

/** Sends one call; all calls of one sender share the time for one call of a tool. */
export type Send = (call: RemoteCall, signal?: AbortSignal) => Promise<Envelope>;

/** Speaks to one server. */
export interface RemoteClient {
  /** The sender for one call of a tool; the clock starts now. */
  senderFor(signal: AbortSignal): Send;
}

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

  async function attempt(call: RemoteCall, sent: SentRequest, endsAt: number, signal: AbortSignal) {
    const isPost = sent.method === 'POST';
    let answer: RemoteAnswer;
    try {
      answer = await transport(sent, Math.min(limits.attemptMs, endsAt - times.now()), signal);
    } catch (error) {
      if (error instanceof BadAnswer)
        throw unexpected(error.message, error.mayHaveActed ? afterwards(call) : '');
      if (!(error instanceof NoAnswer)) throw error;
      const { message, wasSent, isLasting } = error;
      const isRepeatable = !isLasting && (!isPost || !wasSent || isRepeatSafe);
      return { error: failed(message, { after: wasSent ? afterwards(call) : '' }), isRepeatable };
    }
    isRepeatSafe ||= answer.headers.get('idempotency-supported')?.trim().toLowerCase() === 'true';
    const now = times.now();
    return failureOf(answer, call, { now, leftMs: endsAt - now, isRepeatSafe }) ?? answer;
  }

  async function request(call: RemoteCall, endsAt: number, signal: AbortSignal): Promise<Envelope> {
    if (call.what !== undefined && missing.has(call.what)) throw new NotOffered(call.what);
    const sent = toSend(call);
    for (let number = 1; ; number += 1) {
      signal.throwIfAborted();
      if (times.now() >= endsAt) throw failed(TOO_SLOW);
      const outcome: Failure | RemoteAnswer = await attempt(call, sent, endsAt, signal);
      if (!('error' in outcome)) {
        if (call.what !== undefined && lacksRoute(outcome)) {
          missing.add(call.what);
          throw new NotOffered(call.what);
        }
        return envelopeOf(outcome, call);
      }
      const waitMs = outcome.waitMs ?? tableWaitMs(number, times.random());
      const isTooLate = times.now() + waitMs >= endsAt;
      if (!outcome.isRepeatable || number >= limits.attempts || isTooLate) throw outcome.error;
      await times.wait(waitMs, signal);
    }
  }

  return {
    senderFor(signal) {
      const endsAt = times.now() + limits.totalMs;
      return (call, own = signal) => request(call, endsAt, own);
    },
  };
}

/** What may have happened although the answer does not tell. */
function afterwards({ method, isNew }: RemoteCall): string {
  if (method === 'GET') return '';
  return isNew === true
    ? ' The item may have been made: look before you try again.'
    : ' It may have been done: look before you try again.';
}

/** What makes an answer worth another attempt; undefined for one that settles the call. */
function failureOf(
  { status, headers, body }: RemoteAnswer,
  call: RemoteCall,
  { now, leftMs, isRepeatSafe }: { now: number; leftMs: number; isRepeatSafe: boolean },
): Failure | undefined {
  if (status !== 429 && status < 500) return undefined;
  const waitMs = retryAfterMs(headers.get('retry-after'), now);
  const message = messageOf(status, body);
  if (status === 429) {
    const seconds = Math.ceil((waitMs ?? USUAL_PAUSE_MS) / 1000);
    return { error: limited(message, Math.max(1, seconds)), isRepeatable: true, waitMs };
  }
  const seconds = waitMs !== undefined && waitMs >= leftMs ? Math.ceil(waitMs / 1000) : undefined;
  const error = failed(message, { after: afterwards(call), seconds });
  return { error, isRepeatable: call.method !== 'POST' || isRepeatSafe, waitMs };
}

// What a busy server is given after the last attempt, when it does not say itself.
const USUAL_PAUSE_MS = 4000;

// What an API of this kind says about a thing; anything else at 404 is about the route.
const MISSING_THING = /^[a-z][a-z ]{1,40} not found\b/i;

function lacksRoute({ status, body }: RemoteAnswer): boolean {
  if (status === 405) return true;
  if (status !== 404) return false;
  const message = messageOf(status, body);
  return !MISSING_THING.test(message) || /^(?:route|page|path|url|endpoint|resource)\b/i.test(message);
}

const FORMS = {
  page: 'a web page instead of JSON. Check that QUACKBACK_URL is the address of the server itself',
  empty: 'it is empty',
  text: 'it is not JSON',
  json: 'it has no "data"',
} as const;

function envelopeOf({ status, body, form }: RemoteAnswer, call: RemoteCall): Envelope {
  if (status === 401 || status === 403) throw authenticationFailed(status);
  if (status >= 400) throw refused(status, messageOf(status, body));
  const unreadable = (cause: string) => unexpected(cause, afterwards(call));
  if (status === 204) return { data: undefined, pagination: undefined, unreadable };
  const data = fieldOf(body, 'data');
  if (data === undefined && form === 'page' && call.what !== undefined)
    // Some servers show a page where they have no route.
    throw new NotOffered(call.what, `${unreadable(FORMS.page).message} It may not offer ${call.what}.`);
  if (data === undefined) throw unreadable(FORMS[form]);
  const pagination = fieldOf(fieldOf(body, 'meta'), 'pagination') ?? fieldOf(body, 'pagination');
  return { data, pagination, unreadable };
}
