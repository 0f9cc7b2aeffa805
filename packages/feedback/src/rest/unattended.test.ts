/** What no unwatched caller may do over MCP, none may do over REST either. */
import type { Caller } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest, serveRest } from '../../test/rest-api.ts';
import { feedbackTools } from '../tools/index.ts';
import { ROUTES } from './routes/index.ts';

/** The same API for callers that are changed on their way in. */
function servedTo(api: TestApi, change: (caller: Caller) => Caller): Promise<TestApi> {
  const { identity } = api.services;
  const authenticate: typeof identity.authenticate = async (text, source) => {
    const caller = await identity.authenticate(text, source);
    return caller && change(caller);
  };
  return serveRest({ ...api, services: { ...api.services, identity: { ...identity, authenticate } } });
}

const CHANGES: readonly [string, (caller: Caller) => Caller][] = [
  ['an unattended key', (caller) => ({ ...caller, unattended: true })],
  ['a schedule', (caller) => ({ ...caller, source: 'schedule' })],
];

test.each(CHANGES)('%s deletes no post, and has everything else', async (_name, change) => {
  await using store = await scratchStore();
  const api = await openRest(store);
  const unwatched = await servedTo(api, change);
  const id = await api.post();
  const as = api.keys.admin;
  const refused = await unwatched.call('DELETE', `/posts/${id}`, { as });
  expect([refused.status, refused.json.error]).toEqual([
    403,
    {
      code: 'FORBIDDEN',
      message: 'feedback:delete_post is blocked while nobody is watching, and this caller is unattended.',
    },
  ]);
  expect(unwatched.records.map(({ outcome }) => outcome)).toEqual(['denied']);
  expect((await unwatched.call('GET', `/posts/${id}`, { as })).status).toBe(200);
  expect((await api.call('DELETE', `/posts/${id}`, { as })).status).toBe(204);
});

test('every route that stands for a blocked tool alone is blocked, and there is one', () => {
  const blocked = new Set<string>(
    feedbackTools.filter(({ unattended }) => unattended === 'block').map(({ name }) => name),
  );
  const routes = ROUTES.filter(({ grants }) => grants.every((name) => blocked.has(name)));
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /posts/:id']);
});
