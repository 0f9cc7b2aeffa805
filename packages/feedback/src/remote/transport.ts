/** One attempt of one request: out through the guard, back as a status, headers and cleaned JSON. */
import type { Egress } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import { unexpected } from './faults.ts';
import type { Redactor } from './redaction.ts';
import { cleaned } from './redaction.ts';

/** A request as it is sent. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What came back. */
export interface RemoteAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON, without what may not be shown; undefined when it was none. */
  readonly body: unknown;
}

/** No answer came: the request was lost on its way, or there was never a connection. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** False when the other side cannot have acted on it. */
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean) {
    super(message);
    this.wasSent = wasSent;
  }
}

/** Sends one attempt; rejects with the reason of the signal, with `NoAnswer`, or with a typed error. */
export type Transport = (
  request: SentRequest,
  attemptMs: number,
  signal: AbortSignal,
) => Promise<RemoteAnswer>;

const MAX_REDIRECTS = 3;
const TOO_SLOW = 'The feedback server did not answer in time. Try again later.';
const UNREACHABLE = 'The feedback server is unreachable. Check its address and that it runs, then try again.';

/** Creates the transport over the guard; the host of each request is allowed for that request alone. */
export function createTransport(egress: Egress, redactor: Redactor): Transport {
  async function send(request: SentRequest, signal: AbortSignal) {
    const { method, headers, body } = request;
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const allow = [`${url.hostname}:${portOf(url)}`];
      const sent = { method, headers: { ...headers }, body, signal, allow, redirect: 'manual' as const };
      const response = await egress.fetch(url, sent);
      if (response.status < 300 || response.status >= 400) return response;
      const next = response.headers.get('location');
      // The key goes to no other origin, and what changes something is not sent anywhere else.
      if (method !== 'GET' || next === null || redirects >= MAX_REDIRECTS || !URL.canParse(next, url))
        throw unexpected();
      const target = new URL(next, url);
      if (target.origin !== url.origin) throw unexpected();
      url = target;
    }
  }

  return async (request, attemptMs, signal) => {
    const timer = new AbortController();
    const handle = setTimeout(() => timer.abort(new NoAnswer(TOO_SLOW, true)), attemptMs);
    try {
      const response = await send(request, AbortSignal.any([signal, timer.signal]));
      const { status, headers } = response;
      const text = status === 204 ? '' : await response.text();
      return { status, headers, body: cleaned(jsonOf(text), redactor) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof EgressError ? toFault(error) : error;
    } finally {
      clearTimeout(handle);
    }
  };
}

function toFault({ code, wasSent }: EgressError): Error {
  if (code === 'unreachable') return new NoAnswer(UNREACHABLE, wasSent);
  if (code === 'timeout') return new NoAnswer(TOO_SLOW, wasSent);
  return unexpected();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}
