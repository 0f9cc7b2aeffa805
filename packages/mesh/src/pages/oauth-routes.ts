/** Where browsers come back to after an authorization, where one is begun by a link, and who this server is to others. */
import type { IncomingMessage } from 'node:http';
import type { ConnectionAuth } from '@parley/connections';
import type { RouteSet } from '@parley/http';
import { HttpRefusal } from '@parley/http';
import { checkSameOrigin, consoleToken } from '@parley/http/pages';
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

export function createOAuthRoutes(options: OAuthPageOptions): RouteSet {
  const { connectionAuth, web, publicUrl } = options;

  /** Who is signed in with this browser, if anybody. */
  async function browserUser(req: IncomingMessage): Promise<string | undefined> {
    const token = await consoleToken(req, publicUrl);
    return token === undefined ? undefined : (await web.find(token))?.userId;
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

  async function start(req: IncomingMessage, link: string): Promise<Page> {
    if (req.method === 'POST') {
      checkSameOrigin(req, publicUrl);
      const { url } = await connectionAuth.follow(link, await browserUser(req));
      return { status: 303, body: '', headers: { location: url } };
    }
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
      const done = await connectionAuth.finish(searchParams, await browserUser(req));
      return { status: 200, body: authorizedPage(done) };
    },
  });
}
