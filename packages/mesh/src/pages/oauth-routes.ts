/** Where browsers come back to after an authorization, where one is begun by a link, and who this server is to others. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionAuth } from '@parley/connections';
import type { AllowedNames, RouteSet } from '@parley/http';
import {
  createClientAddress,
  createFrontDoor,
  DEFAULT_INBOUND_LIMITS,
  HttpRefusal,
  internalError,
  MemoryWindows,
} from '@parley/http';
import { checkSameOrigin, sessionToken, writeAnswer } from '@parley/http/pages';
import { toRefusal } from '@parley/http/rest';
import type { Identity } from '@parley/identity';
import { authorizedPage, offerPage } from './oauth-page.ts';
import { LEADING_POLICY, PAGE_POLICY, problemPage } from './page.ts';

export interface OAuthPageOptions {
  readonly connectionAuth: ConnectionAuth;
  readonly sessions: Pick<Identity['sessions'], 'find'>;
  readonly names: AllowedNames;
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly onFault: (error: unknown, where: string) => void;
}

const PREFIX = '/oauth';
const START = `${PREFIX}/start/`;
const MINUTE_MS = 60_000;
const REQUESTS_PER_MINUTE = 60;
const DOCUMENT_SECONDS = 3600;

interface Page {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createOAuthRoutes(options: OAuthPageOptions): RouteSet {
  const { connectionAuth, sessions, publicUrl, onFault } = options;
  const door = createFrontDoor(namesOf(options), DEFAULT_INBOUND_LIMITS);
  const addressOf = createClientAddress(options.trustedProxies);
  const windows = new MemoryWindows({ spanMs: MINUTE_MS });

  function count(req: IncomingMessage): void {
    const waitMs = windows.take([{ name: addressOf(req), limit: REQUESTS_PER_MINUTE }], Date.now());
    if (waitMs === 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const headers = { 'retry-after': String(seconds) };
    throw new HttpRefusal(429, `That was a lot at once. Try again in ${seconds} seconds.`, { headers });
  }

  /** Who is signed in with this browser, if anybody. */
  async function browserUser(req: IncomingMessage): Promise<string | undefined> {
    const token = await sessionToken(req);
    return token === undefined ? undefined : (await sessions.find(token))?.userId;
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

  async function answer(req: IncomingMessage): Promise<Page> {
    door.check(req);
    count(req);
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const isStart = pathname.startsWith(START);
    const methods = isStart ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
    if (!methods.includes(req.method ?? ''))
      throw new HttpRefusal(405, 'This address does not take that kind of request.', {
        headers: { allow: methods.join(', ') },
      });
    if (isStart) return start(req, pathname.slice(START.length));
    if (pathname === `${PREFIX}/client.json`) return document();
    if (pathname !== `${PREFIX}/callback`) throw new HttpRefusal(404, 'There is nothing here.');
    // A look at the address would use up what works once.
    if (req.method === 'HEAD') return { status: 200, body: '' };
    const done = await connectionAuth.finish(searchParams, await browserUser(req));
    return { status: 200, body: authorizedPage(done) };
  }

  return {
    name: 'Authorizations',
    prefix: PREFIX,
    routes: async () => [
      `GET ${PREFIX}/callback`,
      `GET ${PREFIX}/client.json`,
      `GET ${START}:link`,
      `POST ${START}:link`,
    ],
    isGuarded: true,
    async handle(req, res) {
      try {
        send(req, res, await answer(req));
      } catch (error) {
        send(req, res, problemOf(error, req, onFault));
      }
    },
    close: async () => undefined,
  };
}

function problemOf(error: unknown, req: IncomingMessage, onFault: OAuthPageOptions['onFault']): Page {
  const known = toRefusal(error);
  if (known === undefined) onFault(error, 'authorizations');
  const { status, message, headers } = known ?? internalError();
  // What is left of a refused request is not read, so the connection cannot be used again.
  const ending = req.complete ? {} : { connection: 'close' };
  return { status, body: problemPage('This did not work', message), headers: { ...headers, ...ending } };
}

/** The address holds a code or a link that works once: nothing of it is kept or passed on. */
function send(req: IncomingMessage, res: ServerResponse, { status, body, headers = {} }: Page): void {
  writeAnswer(req, res, {
    status,
    body,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      // Without any referrer a browser would send its own form with the origin "null".
      'referrer-policy': 'same-origin',
      ...headers,
    },
  });
}

/** The public address is a name of this server like any other. */
function namesOf({ names, publicUrl }: OAuthPageOptions): AllowedNames {
  if (publicUrl === undefined) return names;
  const { hostname, origin } = new URL(publicUrl);
  return { hosts: [...names.hosts, hostname], origins: [...names.origins, origin] };
}
