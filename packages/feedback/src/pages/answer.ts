/** What is sent: status, headers and body, with an entity tag on everything that is read. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer } from '@parley/http/pages';
import { tagged, writeAnswer } from '@parley/http/pages';
import { layout } from './layout.ts';
import type { Sheet } from './layout.ts';

/** One answer; every one has a body, if only an empty one. */
export interface Answer<Body extends string | Buffer = string> extends HttpAnswer {
  readonly body: Body;
}

/** An answer with text or a picture. */
export type AnyAnswer = Answer<string | Buffer>;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // The script that votes without a reload asks its own site.
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  // Without any referrer a browser would send its own forms with the origin "null".
  'referrer-policy': 'same-origin',
};

/** A page; a person who is signed in sees a page of their own. */
export function page(sheet: Sheet, status = 200): Answer {
  const isShared = status === 200 && sheet.visit?.session === undefined;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': isShared ? 'public, no-cache' : status === 200 ? 'private, no-cache' : 'no-store',
      vary: 'cookie',
    },
    body: layout(sheet),
  };
}

/** A document that is the same for everybody for a little while. */
export function shared(type: string, body: string, maxAgeS: number): Answer {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': `public, max-age=${maxAgeS}` },
    body,
  };
}

/** Leads the browser on after a form. */
export function redirect(to: string, headers: Readonly<Record<string, string>> = {}, status = 303): Answer {
  return { status, headers: { ...headers, location: to, 'cache-control': 'no-store' }, body: '' };
}

/** Sends an answer, or only that the reader has it already. */
export function send(req: IncomingMessage, res: ServerResponse, answer: AnyAnswer): void {
  const safe: HttpAnswer = { ...answer, headers: { ...SAFE_HEADERS, ...answer.headers } };
  const isKept = answer.status === 200 && answer.headers['cache-control'] !== 'no-store';
  writeAnswer(req, res, isKept ? tagged(req, safe) : safe);
}
