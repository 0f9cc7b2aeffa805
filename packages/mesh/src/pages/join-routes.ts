/** The address of an invitation: `/join/TOKEN` shows the form, and takes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AllowedNames, RouteSet } from '@parley/http';
import {
  createClientAddress,
  createFrontDoor,
  DEFAULT_INBOUND_LIMITS,
  HttpRefusal,
  internalError,
  MemoryWindows,
} from '@parley/http';
import { checkSameOrigin, readForm, writeAnswer } from '@parley/http/pages';
import { toRefusal } from '@parley/http/rest';
import type { Identity } from '@parley/identity';
import { ToolError } from '@parley/kit';
import { invitationPage, joinedPage } from './join-page.ts';
import { PAGE_POLICY, problemPage } from './page.ts';

export interface JoinOptions {
  readonly invitations: Identity['invitations'];
  readonly names: AllowedNames;
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly onFault: (error: unknown, where: string) => void;
}

/** Where invitations are. */
export const JOIN_PREFIX = '/join';

const MINUTE_MS = 60_000;
const LOOKS_PER_MINUTE = 60;
const FORMS_PER_MINUTE = 10;
const MAX_FIELD_LENGTH = 255;

interface Page {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates the routes. */
export function createJoinRoutes(options: JoinOptions): RouteSet {
  const { invitations, publicUrl, onFault } = options;
  const door = createFrontDoor(namesOf(options), DEFAULT_INBOUND_LIMITS);
  const addressOf = createClientAddress(options.trustedProxies);
  const looks = new MemoryWindows({ spanMs: MINUTE_MS });
  const forms = new MemoryWindows({ spanMs: MINUTE_MS });

  function count(req: IncomingMessage, windows: MemoryWindows, limit: number): void {
    const waitMs = windows.take([{ name: addressOf(req), limit }], Date.now());
    if (waitMs === 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const headers = { 'retry-after': String(seconds) };
    throw new HttpRefusal(429, `That was a lot at once. Try again in ${seconds} seconds.`, { headers });
  }

  async function join(req: IncomingMessage, token: string): Promise<Page> {
    checkSameOrigin(req, publicUrl);
    count(req, forms, FORMS_PER_MINUTE);
    const form = await readForm(req);
    const field = (name: string) => (form.get(name) ?? '').slice(0, MAX_FIELD_LENGTH + 1).trim();
    const joining = { name: field('name').replace(/\p{C}/gu, ''), email: field('email') };
    const key = field('key');
    try {
      const joined = await invitations.accept(token, { ...joining, ...(key !== '' && { key }) });
      return { status: 200, body: joinedPage(joined, `${baseOf(req, publicUrl)}/mcp`) };
    } catch (error) {
      const mayTryAgain = error instanceof ToolError && ['forbidden', 'invalid'].includes(error.code);
      if (!mayTryAgain) throw error;
      const status = error.code === 'invalid' ? 400 : 403;
      const invitation = await invitations.open(token);
      const retry = { ...joining, message: error.message, needsKey: error.data !== undefined };
      return { status, body: invitationPage(invitation, retry) };
    }
  }

  async function answer(req: IncomingMessage): Promise<Page> {
    door.check(req);
    count(req, looks, LOOKS_PER_MINUTE);
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const token = pathname.slice(JOIN_PREFIX.length + 1);
    if (req.method === 'GET' || req.method === 'HEAD')
      return { status: 200, body: invitationPage(await invitations.open(token)) };
    if (req.method === 'POST') return join(req, token);
    const headers = { allow: 'GET, HEAD, POST' };
    throw new HttpRefusal(405, 'This address does not take that kind of request.', { headers });
  }

  return {
    name: 'Invitations',
    prefix: JOIN_PREFIX,
    routes: async () => [`GET ${JOIN_PREFIX}/:token`, `POST ${JOIN_PREFIX}/:token`],
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

function problemOf(error: unknown, req: IncomingMessage, onFault: JoinOptions['onFault']): Page {
  const known = toRefusal(error);
  if (known === undefined) onFault(error, 'invitations');
  const { status, message, headers } = known ?? internalError();
  // What is left of a refused request is not read, so the connection cannot be used again.
  const ending = req.complete ? {} : { connection: 'close' };
  const body = problemPage('This did not work', message);
  return { status, body, headers: { ...headers, ...ending } };
}

/** A key may be on the page, and the address is a secret: nothing of it is kept or passed on. */
function send(req: IncomingMessage, res: ServerResponse, { status, body, headers = {} }: Page): void {
  writeAnswer(req, res, {
    status,
    body,
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      // Without any referrer a browser would send its own form with the origin "null".
      'referrer-policy': 'same-origin',
    },
  });
}

function baseOf({ headers: { host = 'localhost' } }: IncomingMessage, publicUrl: string | undefined): string {
  return publicUrl ?? `http://${host}`;
}

/** The public address is a name of this server like any other. */
function namesOf({ names, publicUrl }: JoinOptions): AllowedNames {
  if (publicUrl === undefined) return names;
  const { hostname, origin } = new URL(publicUrl);
  return { hosts: [...names.hosts, hostname], origins: [...names.origins, origin] };
}
