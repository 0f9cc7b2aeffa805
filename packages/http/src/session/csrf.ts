/** Forms of other sites: told by where the browser says they come from, and by a token that only our pages have. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isOwnOrigin } from '../door/names.ts';
import { HttpRefusal } from '../refusal.ts';

/** Throws unless a page of this very site sent the request; a proxy may know the site by another address. */
export function checkSameOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): void {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin !== undefined && (isOwnOrigin(origin, host) || origin === publicUrl);
  const isForeign = (origin !== undefined && !isOwn) || (site !== undefined && site !== 'same-origin');
  if (isForeign || (origin === undefined && site === undefined))
    throw new HttpRefusal(403, 'This form was not sent from a page of this site.');
}

/** True when the form carries the token of the session. */
export function hasToken(form: URLSearchParams, csrfToken: string): boolean {
  return isSameToken(form.get('csrf') ?? '', csrfToken);
}

/** Whether a token that was sent is the one of the session, in the same time for every wrong one. */
export function isSameToken(sent: string, csrfToken: string): boolean {
  const given = Buffer.from(sent);
  const wanted = Buffer.from(csrfToken);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
