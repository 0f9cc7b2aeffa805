/** Requests of OAuth: to addresses that a stranger named, so through the egress guard and within narrow bounds. */
import { isIPv4 } from 'node:net';
import type { Egress, EgressResponse } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';

/** What was found is not to be trusted, or not to be used; the sentence says why, and names no address. */
export class BadAuthServer extends Error {
  override readonly name = 'BadAuthServer';
}

/** How far requests on behalf of one connection may go. */
export interface OAuthReach {
  readonly egress: Egress;
  /** The address of the connection's own server. */
  readonly url: URL;
  /** Hosts that this one connection may reach besides what the guard allows anyway. */
  readonly allow: readonly string[];
}

/** As the OAuth library asks for it. */
export interface OAuthRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array | undefined | null;
  readonly signal?: AbortSignal | undefined;
}

const MAX_BYTES = 64 * 1024;
const MAX_URL_LENGTH = 2000;
const MAX_REDIRECTS = 3;
const ANSWER_MS = 10_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BODILESS = new Set([204, 205, 304]);

/** The address, when it is one that may be used at all; nothing is asked of it yet. */
export function checkAddress({ url: own }: Pick<OAuthReach, 'url'>, text: unknown, what: string): URL {
  const url = typeof text === 'string' && text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  if (url === null) throw new BadAuthServer(`The ${what} is not an address.`);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new BadAuthServer(`The ${what} is not a plain address.`);
  const isLocal = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new BadAuthServer(`The ${what} is not an https address.`);
  // A server elsewhere has no business with what runs on this machine, even where others may reach it.
  if (isLocal && !isLoopback(own.hostname))
    throw new BadAuthServer(`The ${what} is on this machine, which the server itself is not.`);
  return url;
}

/** The same, and the guard agrees that it may be reached. */
export async function checkEndpoint(reach: OAuthReach, text: unknown, what: string): Promise<URL> {
  const url = checkAddress(reach, text, what);
  try {
    await reach.egress.check(url, { allow: reach.allow });
  } catch (error) {
    if (error instanceof EgressError && error.code === 'not_allowed')
      throw new BadAuthServer(
        `The ${what} is an address that this server may not reach. Its owner can allow it with --allow-egress HOST:PORT.`,
      );
    throw error;
  }
  return url;
}

/** A fetch for the OAuth library. Redirects are followed for reading alone, and never to another origin. */
export function oauthFetch(reach: OAuthReach) {
  return async (address: string, { method, headers, body, signal }: OAuthRequest): Promise<Response> => {
    let url = checkAddress(reach, address, 'address of the authorization server');
    const limit = AbortSignal.timeout(ANSWER_MS);
    const request = {
      method,
      headers,
      // What is sent is a form or JSON; the library sends nothing else.
      ...(body !== undefined && body !== null && { body: String(body) }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      allow: reach.allow,
      redirect: 'manual' as const,
      stream: true,
    };
    for (let redirects = 0; ; redirects += 1) {
      const answer = await reach.egress.fetch(url, request);
      const next = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
      if (next === null) return new Response(await bodyOf(answer), head(answer));
      answer.cancel();
      const target = URL.parse(next, url);
      if (method !== 'GET' || target?.origin !== url.origin || redirects >= MAX_REDIRECTS)
        throw new BadAuthServer('The authorization server redirects, which is not followed.');
      url = checkAddress(reach, target.href, 'address of the authorization server');
    }
  };
}

function head({ status, headers }: EgressResponse): ResponseInit {
  if (status < 200 || status > 599)
    throw new BadAuthServer('The authorization server does not answer as a web server does.');
  return { status, headers };
}

/** The address as what a token is asked for: without its parameters, which may hold secrets. */
export function resourceOf({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : `${origin}${pathname}`;
}

async function bodyOf(answer: EgressResponse): Promise<Uint8Array<ArrayBuffer> | null> {
  if (BODILESS.has(answer.status)) {
    answer.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the stream.
  for await (const chunk of answer.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new BadAuthServer('The authorization server sends more than 64 KiB.');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}

/** The host of an address, for sentences; an address that is none has none. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? '';
}
