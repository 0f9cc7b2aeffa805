/** Where browsers come back to after an authorization, where one is begun by a link, and who this server is to others. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AuthBrowser, ConnectionAuth } from '@parley/connections';
import type { RouteSet } from '@parley/http';
import { HttpRefusal } from '@parley/http';
import { awayNonce, checkSameOrigin, consoleToken, isHttps, keepAwayNonce } from '@parley/http/pages';
import type { Identity } from '@parley/identity';
import { authorizedPage, offerPage } from './oauth-page.ts';
import { LEADING_POLICY } from './page.ts';
import { requireMethod, secretPages } from './secret-pages.ts';
import type { Page, SecretPageOptions } from './secret-pages.ts';

export interface OAuthPageOptions extends SecretPageOptions {
  readonly connectionAuth: ConnectionAuth;
  readonly web: Pick<Identity['web'], 'find'>;
}

const PREFIX = '/oauth';
const START = `${PREFIX}/start/`;
const DOCUMENT_SECONDS = 3600;
const NONCE_BYTES = 32;
const NONCE = /^[\w-]{43}$/;

export function createOAuthRoutes(options: OAuthPageOptions): RouteSet {
  const { connectionAuth, web, publicUrl } = options;

  /** A browser as it comes: what it was given before it left, and who is signed in with it. */
  async function browserOf(req: IncomingMessage): Promise<Partial<AuthBrowser>> {
    const nonce = await awayNonce(req, publicUrl);
    const token = await consoleToken(req, publicUrl);
    const userId = token === undefined ? undefined : (await web.find(token))?.userId;
    return { userId, ...(nonce !== undefined && NONCE.test(nonce) && { nonce }) };
  }

  function document(): Page {
    const found = connectionAuth.clientDocument();
    if (found === undefined) throw new HttpRefusal(404, 'This server has no public https address.');
    const headers = {
      'content-type': 'application/json',
      'cache-control': `public, max-age=${DOCUMENT_SECONDS}`,
    };
    return { status: 200, body: JSON.stringify(found), headers };
  }

  /** Sends a browser away, with something by which it is known when it comes back. */
  async function away(req: IncomingMessage, link: string, found: Partial<AuthBrowser>): Promise<Page> {
    // A browser keeps what it has, so that two authorizations at once both come to their end.
    const { nonce = randomBytes(NONCE_BYTES).toString('base64url') } = found;
    const { url } = await connectionAuth.follow(link, { ...found, nonce });
    const cookie = await keepAwayNonce(req, nonce, isHttps(req, publicUrl));
    return { status: 303, body: '', headers: { location: url, 'set-cookie': cookie } };
  }

  async function start(req: IncomingMessage, link: string): Promise<Page> {
    const browser = await browserOf(req);
    if (req.method === 'POST') {
      checkSameOrigin(req, publicUrl);
      return away(req, link, browser);
    }
    // Somebody who is signed in has just asked for it in the console, and is not asked once more.
    const isAsked = browser.userId !== undefined && req.headers['sec-fetch-site'] === 'same-origin';
    if (isAsked && req.method === 'GET') return away(req, link, browser);
    const body = offerPage(await connectionAuth.offer(link));
    return { status: 200, body, headers: { 'content-security-policy': LEADING_POLICY } };
  }

  return secretPages(options, {
    name: 'Authorizations',
    prefix: PREFIX,
    routes: [
      `GET ${PREFIX}/callback`,
      `GET ${PREFIX}/client.json`,
      `GET ${START}:link`,
      `POST ${START}:link`,
    ],
    async answer(req, { pathname, searchParams }) {
      const isStart = pathname.startsWith(START);
      requireMethod(req, isStart ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']);
      if (isStart) return start(req, pathname.slice(START.length));
      if (pathname === `${PREFIX}/client.json`) return document();
      if (pathname !== `${PREFIX}/callback`) throw new HttpRefusal(404, 'There is nothing here.');
      // A look at the address would use up what works once.
      if (req.method === 'HEAD') return { status: 200, body: '' };
      const done = await connectionAuth.finish(searchParams, await browserOf(req));
      return { status: 200, body: authorizedPage(done) };
    },
  });
}
