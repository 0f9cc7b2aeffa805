/** A small web server with the pages that the tests annotate. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listening } from '@parley/test-support/listening';

/** The pages under an address of their own. */
export interface Site extends AsyncDisposable {
  readonly url: string;
}

const PAGES = join(import.meta.dirname, 'pages');
const MARK = '<!-- parley -->';

/** The policy of a strict page: nothing inline, nothing foreign but the overlay and its link. */
function strictPolicy(server: string, isBlocked: boolean): string {
  const link = isBlocked ? "'self'" : `${server} ${server.replace('http', 'ws')}`;
  return `default-src 'none'; script-src 'nonce-page'; style-src 'nonce-page'; connect-src ${link}; require-trusted-types-for 'script'`;
}

/** Serves the pages; each gets the given tag in place of its mark. */
export async function serveSite(overlayTag: string): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const name = pathname.slice(1).split('/')[0] || 'shop';
    if (!/^[a-z-]+$/.test(name)) {
      response.writeHead(404).end();
      return;
    }
    const origin = /src="(http:\/\/[^/]+)/.exec(overlayTag)?.[1] ?? '';
    // The same page, whose policy also keeps the link in.
    const isBlocked = name === 'blocked';
    const isStrict = isBlocked || name === 'strict';
    const tag = isStrict ? overlayTag.replace('<script', '<script nonce="page"') : overlayTag;
    let html: string;
    try {
      html = readFileSync(join(PAGES, `${isBlocked ? 'strict' : name}.html`), 'utf8').replace(MARK, tag);
    } catch {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      ...(isStrict && { 'content-security-policy': strictPolicy(origin, isBlocked) }),
    });
    response.end(html);
  });
  return listening(server);
}
