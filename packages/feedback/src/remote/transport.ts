/** One attempt of one request: out through the guard, back as a status, headers and cleaned JSON. */
import type { Egress } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import { BadAnswer } from './faults.ts';
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
  /** What it is when it is no JSON. */
  readonly form: 'json' | 'page' | 'empty' | 'text';
}

/** No answer came: the request was lost on its way, or there was never a connection. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** False when the other side cannot have acted on it. */
  readonly wasSent: boolean;
  /** True when the next attempt would end like this one. */
  readonly isLasting: boolean;

  constructor(message: string, wasSent: boolean, isLasting = false) {
    super(message);
    this.wasSent = wasSent;
    this.isLasting = isLasting;
  }
}

/** Sends one attempt; rejects with the reason of the signal, with `NoAnswer` or with `BadAnswer`. */
export type Transport = (
  request: SentRequest,
  attemptMs: number,
  signal: AbortSignal,
) => Promise<RemoteAnswer>;

const MAX_REDIRECTS = 3;
const SHOWN_LENGTH = 200;

/** No answer within the time that there was. */
export const TOO_SLOW = 'The feedback server did not answer in time. Try again later.';
const UNREACHABLE = 'The feedback server is unreachable. Check its address and that it runs, then try again.';
const BROKEN_OFF =
  'The feedback server broke off the connection before its answer was complete. Try again later.';
const UNTRUSTED =
  'The certificate of the feedback server is not trusted. Where it is one of your own authority, set NODE_EXTRA_CA_CERTS to the file of that authority.';
const NO_TLS =
  'The feedback server does not speak TLS at this address. Check the port, and whether its address begins with http.';

/** Creates the transport over the guard; the host of each request is allowed for that request alone. */
export function createTransport(egress: Egress, redactor: Redactor): Transport {
  async function send(request: SentRequest, signal: AbortSignal) {
    const { method, headers, body } = request;
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const allow = [`${url.hostname}:${portOf(url)}`];
      const sent = { method, headers: { ...headers }, body, signal, allow, redirect: 'manual' as const };
      const response = await egress.fetch(url, sent);
      const { status } = response;
      if (status < 300 || status >= 400) return response;
      const next = response.headers.get('location');
      const target = next === null ? null : URL.parse(next, url);
      // The key goes to no other origin, and what changes something is not sent anywhere else.
      if (method !== 'GET' || target === null || redirects >= MAX_REDIRECTS || target.origin !== url.origin)
        throw redirected(status, target);
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
      const json = jsonOf(text);
      return { status, headers, body: cleaned(json, redactor), form: formOf(text, json) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof EgressError ? toFault(error) : error;
    } finally {
      clearTimeout(handle);
    }
  };
}

function redirected(status: number, target: URL | null): BadAnswer {
  const where = target === null ? 'nowhere' : target.origin.slice(0, SHOWN_LENGTH);
  // These ask for the same request elsewhere; the others may stand for what was made.
  const isMoved = status === 301 || status === 307 || status === 308;
  return new BadAnswer(
    `a redirect to ${where}, which was not followed. Check QUACKBACK_URL: it has to be the address that the server answers at`,
    !isMoved,
  );
}

function toFault({ code, message, wasSent, tls }: EgressError): Error {
  if (tls !== undefined) return new NoAnswer(tls === 'untrusted' ? UNTRUSTED : NO_TLS, false, true);
  if (code === 'unreachable') return new NoAnswer(wasSent ? BROKEN_OFF : UNREACHABLE, wasSent);
  if (code === 'timeout') return new NoAnswer(TOO_SLOW, wasSent);
  if (code === 'not_allowed') return new NoAnswer(message, false, true);
  return new BadAnswer(code === 'too_large' ? 'it is larger than 10 MiB. Ask for less at once' : message);
}

function formOf(text: string, json: unknown): RemoteAnswer['form'] {
  if (json !== undefined) return 'json';
  const start = text.trimStart();
  return start === '' ? 'empty' : start.startsWith('<') ? 'page' : 'text';
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
