/** Routes that check nothing are checked by the server; only what a toolset declares open is open. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { guardRoutes } from './guard-routes.ts';
import type { RouteSet } from './route-set.ts';

// The guard looks at the URL only, and these routes at nothing.
const requestTo = (url: string) => ({ url }) as IncomingMessage;
const response = {} as ServerResponse;

function guarded(change: Partial<RouteSet> = {}) {
  const seen: string[] = [];
  const set: RouteSet = {
    name: 'Notes',
    prefix: '/notes',
    handle: async ({ url = '' }) => {
      seen.push(`handled ${url}`);
    },
    close: async () => undefined,
    ...change,
  };
  const routes = guardRoutes(set, ['/notes/about'], {
    checkDoor: ({ url = '' }) => {
      seen.push(`door ${url}`);
      if (url.includes('evil')) throw new Error('refused');
    },
    admit: async ({ url = '' }) => {
      seen.push(`key ${url}`);
      throw new Error('refused');
    },
  });
  return { routes, seen };
}

test.each([
  ['/notes/about', ['door /notes/about', 'handled /notes/about'], false],
  ['/notes/about?x=1', ['door /notes/about?x=1', 'handled /notes/about?x=1'], false],
  ['/notes/about?evil', ['door /notes/about?evil'], true],
  ['/notes', ['key /notes'], true],
  ['/notes/about/', ['key /notes/about/'], true],
  ['/notes/%61bout', ['key /notes/%61bout'], true],
  ['/notes/secret', ['key /notes/secret'], true],
])('%s', async (url, expected, isRefused) => {
  const { routes, seen } = guarded();
  const handling = routes.handle(requestTo(url), response).then(
    () => false,
    () => true,
  );
  expect(await handling).toBe(isRefused);
  expect(seen).toEqual(expected);
});

test('routes that check by themselves are left alone', async () => {
  const { routes, seen } = guarded({ isGuarded: true });
  await routes.handle(requestTo('/notes/secret'), response);
  expect(seen).toEqual(['handled /notes/secret']);
});

test('who takes WebSockets has to check by itself', () => {
  expect(() => guarded({ upgrade: () => undefined })).toThrow('isGuarded: true');
});
