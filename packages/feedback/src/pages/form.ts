/** Forms that a browser sent: where they came from, and what is in them. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DEFAULT_INBOUND_LIMITS, HttpRefusal, readBytes, REFUSED } from '@parley/kit/inbound';
import { plainText } from './plain-text.ts';

const LIMITS = { ...DEFAULT_INBOUND_LIMITS, bodyBytes: 256 * 1024 };

/** Throws unless a page of this very site sent the request; a proxy may know the site by another address. */
export function checkSameOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): void {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const isOwnOrigin =
    origin === `http://${host}` || origin === `https://${host}` || (origin ?? '') === publicUrl;
  const isForeign = (origin !== undefined && !isOwnOrigin) || (site !== undefined && site !== 'same-origin');
  if (isForeign || (origin === undefined && site === undefined))
    throw new HttpRefusal(403, REFUSED, 'This form was not sent from a page of this site.');
}

/** True when the form carries the token of the session. */
export function hasToken(form: URLSearchParams, csrfToken: string): boolean {
  const given = Buffer.from(form.get('csrf') ?? '');
  const wanted = Buffer.from(csrfToken);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The fields of a form. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new HttpRefusal(415, REFUSED, 'Only plain forms are accepted here.');
  const bytes = await readBytes(req, LIMITS, 'This form is too large.');
  return new URLSearchParams(bytes.toString('utf8'));
}

/** One text of a form: without blanks around it, line breaks as they are everywhere else. */
export function textOf(form: URLSearchParams, name: string): string {
  return plainText(form.get(name) ?? '').trim();
}

/** A name on one line, without signs that are not seen. */
export function nameOf(form: URLSearchParams): string {
  return textOf(form, 'name')
    .replace(/\p{C}+/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
