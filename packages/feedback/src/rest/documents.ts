/** The two documents about the API; they are the same for everybody and need no key. */
import type { IncomingMessage } from 'node:http';
import { BASE } from './base.ts';
import { DOCS_POLICY, docsPageOf } from './docs-page.ts';
import { RestError } from './errors.ts';
import { etagOf, isUnchanged } from './etag.ts';
import { openApiOf } from './openapi.ts';
import type { RestAnswer } from './respond.ts';
import type { Route } from './route.ts';

/** Answers when the path is one of the documents. */
export type Documents = (req: IncomingMessage, path: string) => RestAnswer | undefined;

interface Document {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates the documents of a table; each is made when it is first asked for. */
export function createDocuments(routes: readonly Route[]): Documents {
  const makers = new Map<string, () => Document>([
    [
      `${BASE}/openapi.json`,
      () => ({ body: JSON.stringify(openApiOf(routes)), headers: typed('application/json') }),
    ],
    [
      `${BASE}/docs`,
      () => ({
        body: docsPageOf(routes),
        headers: {
          ...typed('text/html'),
          'content-security-policy': DOCS_POLICY,
          'referrer-policy': 'no-referrer',
        },
      }),
    ],
  ]);
  const made = new Map<string, Document>();
  return (req, path) => {
    const make = makers.get(path);
    if (make === undefined) return undefined;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      throw new RestError('METHOD_NOT_ALLOWED', 'Use GET, HEAD here.', { headers: { allow: 'GET, HEAD' } });
    const found = made.get(path) ?? make();
    made.set(path, found);
    const etag = etagOf(found.body);
    const headers = { ...found.headers, etag };
    if (isUnchanged(req.headers['if-none-match'], etag))
      return { status: 304, headers, body: undefined, code: null };
    return { status: 200, headers, body: found.body, code: null };
  };
}

function typed(type: string): Record<string, string> {
  return { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'public, no-cache' };
}
