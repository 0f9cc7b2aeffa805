/** From the cookie of the console to a caller: only for pages of this very site, and for changes only with the session's own token. */
import type { IncomingMessage } from 'node:http';
import type { Identity, WebSession } from '@parley/identity';
import { isOwnOrigin } from '../door/names.ts';
import { HttpRefusal } from '../refusal.ts';
import { consoleToken } from './cookies.ts';
import { checkSameOrigin, isSameToken } from './csrf.ts';

/** Where a page sends the token that a change needs. */
export const CSRF_HEADER = 'x-csrf-token';

/** Somebody who is signed in, by the token of their browser. */
export interface SignedIn extends WebSession {
  readonly token: string;
}

/** What the cookie of a request is worth. */
export interface SignedInParts {
  readonly identity: Pick<Identity, 'web'>;
  /** The address of this site, where a proxy stands before it. */
  readonly publicUrl?: string | undefined;
}

/**
 * Who sent a request with their browser; undefined for a request without the cookie, or with one that a page of
 * another site made the browser send. Throws when a change has not the token of the session.
 */
export async function signedIn(
  req: IncomingMessage,
  { identity, publicUrl }: SignedInParts,
): Promise<SignedIn | undefined> {
  const token = isOfThisSite(req, publicUrl) ? await consoleToken(req, publicUrl) : undefined;
  const found = token === undefined ? undefined : await identity.web.find(token);
  if (token === undefined || found === undefined) return undefined;
  checkChange(req, found, publicUrl);
  return { ...found, token };
}

function isOfThisSite({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host) && origin !== publicUrl) return false;
  // A person who types the address, or follows a mark of theirs, comes from no site.
  return site === undefined || site === 'same-origin' || site === 'none';
}

function checkChange(req: IncomingMessage, { csrfToken }: WebSession, publicUrl: string | undefined): void {
  if (req.method === 'GET' || req.method === 'HEAD') return;
  checkSameOrigin(req, publicUrl);
  const sent = req.headers[CSRF_HEADER];
  if (typeof sent === 'string' && isSameToken(sent, csrfToken)) return;
  throw new HttpRefusal('CSRF', `A change needs the token of the session in the header ${CSRF_HEADER}.`);
}

/** True when the browser speaks https with us, by way of a proxy or not. */
export function isHttps({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { origin } = headers;
  if (origin !== undefined) return origin.startsWith('https:');
  return publicUrl?.startsWith('https:') === true;
}
