/** The two documents about a set of routes; they are the same for everybody and need no key. */
import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from '../refusal.ts';
import type { HttpAnswer } from '../respond/respond.ts';
import { tagged } from '../respond/respond.ts';
import { DOCS_POLICY, docsPageOf } from './docs-page.ts';
import type { ApiTable } from './openapi.ts';
import { openApiOf } from './openapi.ts';

/** Answers when the path is one of the documents. */
export type Documents = (req: IncomingMessage, path: string) => HttpAnswer | undefined;

/** The routes of both documents of a set. */
export function documentsOf(prefix: string): string[] {
  return [`GET ${prefix}/openapi.json`, `GET ${prefix}/docs`];
}

/** Creates the documents of a set; each is made when it is first asked for. */
export function createDocuments(words: ApiTable): Documents {
  const makers = new Map<string, () => HttpAnswer>([
    [
      `${words.prefix}/openapi.json`,
      () => ({ status: 200, headers: typed('application/json'), body: JSON.stringify(openApiOf(words)) }),
    ],
    [
      `${words.prefix}/docs`,
      () => ({
        status: 200,
        headers: {
          ...typed('text/html'),
          'content-security-policy': DOCS_POLICY,
          'referrer-policy': 'no-referrer',
        },
        body: docsPageOf(words),
      }),
    ],
  ]);
  const made = new Map<string, HttpAnswer>();
  return (req, path) => {
    const make = makers.get(path);
    if (make === undefined) return undefined;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      throw new HttpRefusal('METHOD_NOT_ALLOWED', 'Use GET, HEAD here.', { headers: { allow: 'GET, HEAD' } });
    const found = made.get(path) ?? make();
    made.set(path, found);
    return tagged(req, found);
  };
}

function typed(type: string): Record<string, string> {
  return { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'public, no-cache' };
}
