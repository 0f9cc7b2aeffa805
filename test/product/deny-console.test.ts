/** Every route of the console by everybody, and every other route by the browsers of people, compared with `deny-table.md`. */
import { linesOf } from '@parley/test-support/table-lines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from './console-browser.ts';
import { ROUTE_BODIES } from './deny-agents.ts';
import type { DenyBed, Role } from './deny-bed.ts';
import { openDenyBed } from './deny-bed.ts';

const LONG_MS = 120_000;
const HOUSE = new URL('deny-table.md', import.meta.url);
const CONSOLE = linesOf(HOUSE, 'Routes of the console');
const ROUTES = linesOf(HOUSE, 'Routes');
const TEAM = ['member', 'curator', 'admin', 'owner'] as const;

let bed: DenyBed;
/** A name, since browsers make passkeys for no address. */
let url: string;
beforeAll(async () => {
  bed = await openDenyBed();
  url = bed.url.replace('127.0.0.1', 'localhost');
}, LONG_MS);
afterAll(() => bed.close());

async function browserOf(who?: string): Promise<Browser> {
  const { token } = await bed.app.host.identity.web.createLink(who);
  const browser = new Browser(url);
  const { status } = await browser.signIn({ method: 'link', token });
  expect(status).toBe(200);
  return browser;
}

const roleBrowser = (role: Role) => browserOf(role === 'owner' ? undefined : `${role}@acme.example`);
const pathOf = (route: string) => route.replaceAll(/:\w+/g, 'nobody_0');

/** Asks for a route; a stream is left at its first byte. */
async function ask(
  browser: Browser,
  route: string,
  headers: Record<string, string> = {},
  body: unknown = {},
) {
  const [method = '', path = ''] = pathOf(route).split(' ');
  const stop = new AbortController();
  const answer = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    signal: stop.signal,
    headers: {
      ...browser.headers(method),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await answer.text();
  stop.abort();
  return { status: String(answer.status), text };
}

describe('routes of the console', () => {
  const faults = async (
    column: string,
    seenBy: (route: string) => Promise<{ status: string; text: string }>,
  ) => {
    const wrong: string[] = [];
    for (const line of CONSOLE) {
      const route = line('route');
      const { status, text } = await seenBy(route);
      const cell = line(column);
      const isRight = cell === 'own' ? status === '200' && !/acme/i.test(text) : status === cell;
      if (!isRight) wrong.push(`${route} for ${column}: ${status} ${text.slice(0, 200)}`);
    }
    return wrong;
  };

  test.each(TEAM)('answer the browser of a %s as the table says', async (role) => {
    const browser = await roleBrowser(role);
    expect(await faults(role, (route) => ask(browser, route))).toEqual([]);
  });

  test('are closed to nobody and to every key', async () => {
    const nobody = new Browser(url);
    expect(await faults('nobody', (route) => ask(nobody, route))).toEqual([]);
    for (const key of [bed.keys.owner, bed.keys.member, bed.all, bed.agents.key]) {
      const headers = { authorization: `Bearer ${key}` };
      expect(await faults('key', (route) => ask(nobody, route, headers))).toEqual([]);
    }
    const visitor = bed.app.host.identity.web.createLink('visitor@acme.example');
    await expect(visitor).rejects.toThrow('Nobody of a team');
  });

  test('show the owner of another organization nothing of this one', async () => {
    const rival = await browserOf('rita@rival.example');
    expect(await faults('foreign', (route) => ask(rival, route))).toEqual([]);
  });
});

describe('other routes', () => {
  /** What is meant for programs, or is not JSON. */
  const isApi = (route: string) => / \/api\/(?!public)/.test(route);
  const API = ROUTES.map((line) => line('route')).filter(isApi);

  test.each(TEAM)(
    'answer the browser of a %s as they answer their key',
    { timeout: LONG_MS },
    async (role) => {
      const browser = await roleBrowser(role);
      const wrong: string[] = [];
      for (const line of ROUTES.filter((each) => isApi(each('route')))) {
        const route = line('route');
        // The organization in the path is nobody's here, so that what is found needs no id.
        if (route.includes('/api/organizations/:')) continue;
        const { status, text } = await ask(
          browser,
          route,
          {},
          route === 'POST /api/events' ? { type: 'table.tried' } : {},
        );
        if (status !== line(role)) wrong.push(`${route} for ${role}: ${status} ${text.slice(0, 200)}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  test(
    'make no change without the token of the session, or for another site',
    { timeout: LONG_MS },
    async () => {
      const browser = await roleBrowser('owner');
      const changes = API.filter((route) => !route.startsWith('GET'));
      expect(changes.length).toBeGreaterThan(50);
      const wrong: string[] = [];
      for (const route of changes) {
        const bare = await ask(browser, route, { 'x-csrf-token': '' }, ROUTE_BODIES[route]);
        if (!bare.text.includes('"CSRF"')) wrong.push(`${route}: ${bare.status} ${bare.text.slice(0, 100)}`);
        const foreign = await ask(browser, route, { 'sec-fetch-site': 'cross-site' }, ROUTE_BODIES[route]);
        if (foreign.status !== '401') wrong.push(`${route} from another site: ${foreign.status}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});
