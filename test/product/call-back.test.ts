/** A server that calls back over the wire: what its token makes, and what it is worth when its connection changes. */
import { ALL_GRANTS } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requiredTools } from '../house/management-tools.ts';
import type { DenyBed } from './deny-bed.ts';
import { openDenyBed } from './deny-bed.ts';

let bed: DenyBed;
let connection: string;
let token: string;

const set = async (data: Readonly<Record<string, unknown>>) => {
  const { text, body } = await bed.call(bed.all, 'COLLECTION_CONNECTIONS_UPDATE', { id: connection, data });
  if (body.result?.isError === true) throw new Error(text);
};

const ask = async (route: string, key: string, body: unknown) => {
  const [method, path] = route.split(' ');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${bed.url}${path}`, { method: method ?? '', headers, body: JSON.stringify(body) });
};

beforeAll(async () => {
  bed = await openDenyBed();
  const made = await bed.call(bed.all, 'COLLECTION_CONNECTIONS_CREATE', {
    data: {
      title: 'Calls back',
      connection_type: 'HTTP',
      connection_url: 'https://calls-back.example/mcp',
      configuration_scopes: ['*'],
      metadata: { gateway: { callbackToken: true } },
    },
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- the output of a tool
  connection = (made.body.result?.structuredContent as any)?.item?.id ?? made.text;
  const { identity } = bed.app.host;
  token =
    identity.callTokenFor(bed.naming.owner, connection, { ...ALL_GRANTS, ...bed.naming.owner.grants }) ?? '';
});
afterAll(() => bed.close());

test('it has tools, and none that must not run unwatched', async () => {
  const listed = await bed.list(token);
  expect(listed).toContain('COLLECTION_CONNECTIONS_LIST');
  const blocked = requiredTools().filter(({ unattended }) => unattended);
  expect(blocked.map(({ name }) => name)).toContain('API_KEY_CREATE');
  for (const { name } of blocked) expect(listed).not.toContain(name);
});

const TOOLS: Record<string, () => Record<string, unknown>> = {
  API_KEY_CREATE: () => ({ name: 'm', permissions: { '*': ['*'] } }),
  API_KEY_UPDATE: () => ({ keyId: 'key_x', name: 'm' }),
  ORGANIZATION_MEMBER_ADD: () => ({ email: 'm@m.example', role: ['member'] }),
  ORGANIZATION_CREATE: () => ({ name: 'M', slug: 'made-by-a-token' }),
  COLLECTION_CONNECTIONS_CREATE: () => ({
    data: { title: 'm', connection_type: 'HTTP', connection_url: 'https://m.example/mcp' },
  }),
  COLLECTION_CONNECTIONS_UPDATE: () => ({ id: connection, data: { connection_token: 'theirs' } }),
};

test.each(Object.keys(TOOLS))('%s makes nothing for it', async (name) => {
  const { body, text } = await bed.call(token, name, TOOLS[name]?.());
  expect(body.result === undefined || body.result.isError === true, text).toBe(true);
});

const ROUTES: Record<string, unknown> = {
  'POST /api/agents': { name: 'Made by a token' },
  'POST /api/organizations/ORG/invitations': { email: 'm@m.example', roles: ['member'] },
  'POST /api/organizations/ORG/webhooks': { url: 'https://m.example/hook', events: ['*'] },
  'POST /api/connections/CONN/authorize': {},
  'POST /api/v1/keys': { name: 'm', grants: {} },
  'GET /api/annotations/page-tokens/tag': undefined,
};

test.each(Object.keys(ROUTES))('%s is refused to it', async (route) => {
  const path = route.replace('ORG', bed.organizationId).replace('CONN', connection);
  const answer = await ask(path, token, ROUTES[route]);
  expect([answer.status, await answer.text()]).toEqual([403, expect.any(String)]);
});

test('it is worth nothing once its connection has no scopes, is off, or is gone', async () => {
  await set({ configuration_scopes: [] });
  await eventually(async () => expect(await bed.list(token)).toEqual([]));
  await set({ configuration_scopes: ['*'] });
  await eventually(async () => expect(await bed.list(token)).toContain('COLLECTION_CONNECTIONS_LIST'));
  await set({ status: 'inactive' });
  await eventually(async () => expect((await bed.call(token, 'USER_GET')).status).toBe(401));
  await set({ status: 'active' });
  await eventually(async () => expect(await bed.list(token)).toContain('COLLECTION_CONNECTIONS_LIST'));
  await bed.call(bed.all, 'COLLECTION_CONNECTIONS_DELETE', { id: connection });
  await eventually(async () => expect((await bed.call(token, 'USER_GET')).status).toBe(401));
});
