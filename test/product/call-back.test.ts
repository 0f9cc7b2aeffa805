/** A server that calls back over the wire: what its token makes, and what it is worth when its connection changes. */
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requiredTools } from '../house/management-tools.ts';
import type { DenyBed } from './deny-bed.ts';
import { openDenyBed } from './deny-bed.ts';
import type { World } from './deny-samples.ts';
import { fill, makeWorld } from './deny-samples.ts';

let bed: DenyBed;
let world: World;
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
  // Somebody who may do everything, so that nothing is refused for want of a grant.
  const owner = await identity.authenticate(bed.all, 'key');
  token = (owner && identity.callTokenFor(owner, connection, owner.grants)) ?? '';
  world = { ...(await makeWorld(bed)), own: connection };
});
afterAll(() => bed.close());

test('it has tools, and none that must not run unwatched', async () => {
  const listed = await bed.list(token);
  expect(listed).toContain('COLLECTION_CONNECTIONS_LIST');
  const blocked = requiredTools().filter(({ unattended }) => unattended);
  expect(blocked.map(({ name }) => name)).toContain('API_KEY_CREATE');
  for (const { name } of blocked) expect(listed).not.toContain(name);
});

const ENDS = /ends after minutes/;
const HIDDEN = /Unknown tool/;

const CODE = 'export default () => 1';
const LATER = '2099-01-01T00:00:00Z';
const SCHEDULE = {
  name: 'm',
  interval_minutes: 60,
  schedule_actions: [{ type: 'memory_maintenance' }],
};

/** What each tool would leave behind, and why it does not. */
const TOOLS: [name: string, input: Record<string, unknown>, words: RegExp][] = [
  ['API_KEY_CREATE', { name: 'm', permissions: { '*': ['*'] } }, HIDDEN],
  ['API_KEY_UPDATE', { keyId: '{key}', name: 'm' }, HIDDEN],
  ['ORGANIZATION_MEMBER_ADD', { email: 'm@m.example', role: ['member'] }, HIDDEN],
  ['ORGANIZATION_CREATE', { name: 'M', slug: 'made-by-a-token' }, ENDS],
  [
    'COLLECTION_CONNECTIONS_CREATE',
    { data: { title: 'm', connection_type: 'HTTP', connection_url: 'https://m.example/mcp' } },
    ENDS,
  ],
  ['COLLECTION_CONNECTIONS_UPDATE', { id: '{own}', data: { connection_token: 'theirs' } }, ENDS],
  ['COLLECTION_VIRTUAL_MCP_CREATE', { data: { title: 'm', connections: [] } }, ENDS],
  [
    'COLLECTION_VIRTUAL_MCP_UPDATE',
    { id: '{virtual}', data: { connections: [{ connection_id: '{own}' }] } },
    ENDS,
  ],
  ['COLLECTION_VIRTUAL_MCP_UPDATE', { id: '{virtual}', data: { metadata: { instructions: 'm' } } }, ENDS],
  [
    'COLLECTION_VIRTUAL_TOOLS_CREATE',
    { virtual_mcp_id: '{virtual}', data: { name: 'm', inputSchema: { type: 'object' }, code: CODE } },
    ENDS,
  ],
  [
    'COLLECTION_VIRTUAL_TOOLS_UPDATE',
    { virtual_mcp_id: '{virtual}', name: '{tool}', data: { code: CODE } },
    ENDS,
  ],
  ['EVENT_PUBLISH', { type: 'm.later', deliverAt: LATER }, ENDS],
  ['EVENT_PUBLISH', { type: 'm.often', cron: '0 0 1 1 *' }, ENDS],
  ['EVENT_SUBSCRIBE', { eventType: '*', connectionId: '{connection}' }, /only an owner or admin/],
  ['EVENT_SUBSCRIBE', { eventType: '*', connectionId: '{organization}_self' }, /only an owner or admin/],
  ['EVENT_SYNC_SUBSCRIPTIONS', { subscriptions: [], connectionId: '{connection}' }, /only an owner or admin/],
  ['EVENT_SUBSCRIPTION_LIST', { connectionId: '{connection}' }, /only an owner or admin/],
  ['EVENT_ACK', { eventId: '{event}', connectionId: '{connection}' }, /only an owner or admin/],
  ['EVENT_ACK', { eventId: '{event}' }, /Event not found/],
  ['corvid_manage_schedule', { action: 'create', ...SCHEDULE }, HIDDEN],
  ['corvid_manage_workflow', { action: 'activate', workflow_id: '{workflow}' }, HIDDEN],
];

test.each(TOOLS)('%s makes nothing for it: %j', async (name, input, words) => {
  const { body, text } = await bed.call(token, name, fill(input, world));
  expect(body.result?.isError ?? true, text).toBe(true);
  expect(text).toMatch(words);
});

const NOT_THEIRS = /Only administrators|does not have the grant|is not available|Only owners/;

const ROUTES: [route: string, body: unknown, words: RegExp][] = [
  ['POST /api/agents', { name: 'Made by a token' }, ENDS],
  ['PATCH /api/agents/{agent}', { description: 'm' }, ENDS],
  ['PATCH /api/agents/{agent}', { tools: null }, ENDS],
  ['POST /api/agents/{agent}/api-keys', {}, ENDS],
  ['POST /api/agents/{agent}/keys/rotate', {}, ENDS],
  ['POST /api/agents/{agent}/schedules', SCHEDULE, ENDS],
  ['PATCH /api/agents/{agent}/schedules/{schedule}', { name: 'm' }, ENDS],
  ['POST /api/agents/{agent}/schedules/{schedule}/resume', {}, ENDS],
  ['POST /api/agents/{agent}/schedules/{schedule}/run', {}, ENDS],
  ['POST /api/executions/{execution}/approve', {}, ENDS],
  ['POST /api/questions/{question}/answer', { answer: 'Yes.' }, ENDS],
  ['PUT /api/agents/{agent}/memories', { key: 'm', content: 'm' }, ENDS],
  ['POST /api/agents/{agent}/memories/forget', { key: 'acme_memory' }, ENDS],
  ['PUT /api/agents/{agent}/channels/webhook', { config: { url: 'https://m.example' } }, ENDS],
  ['POST /api/agents/{agent}/channels/webhook/enable', {}, ENDS],
  ['PUT /api/agents/{agent}/projects/{project}', undefined, ENDS],
  ['POST /api/agents/{agent}/skills', { bundle_id: '{bundle}' }, ENDS],
  ['POST /api/projects/{project}/skills', { bundle_id: '{bundle}' }, ENDS],
  ['POST /api/skill-bundles', { name: 'm' }, ENDS],
  ['PUT /api/skill-bundles/{bundle}', { prompt_additions: 'm' }, ENDS],
  ['POST /api/skill-bundles/preset-code-reviewer/reset', {}, ENDS],
  ['PUT /api/projects/{project}/code', { folder: '/' }, NOT_THEIRS],
  ['POST /api/plugins/load', { path: '/m' }, NOT_THEIRS],
  ['POST /api/plugins/m/grant', { capabilities: [] }, NOT_THEIRS],
  [
    'POST /api/organizations/{organization}/invitations',
    { email: 'm@m.example', roles: ['member'] },
    /is blocked while nobody is watching/,
  ],
  ['PUT /api/organizations/{organization}/roles/m', { grants: {} }, NOT_THEIRS],
  [
    'POST /api/organizations/{organization}/webhooks',
    { url: 'https://m.example/hook', events: ['*'] },
    NOT_THEIRS,
  ],
  ['PATCH /api/organizations/{organization}/webhooks/{webhook}', { url: 'https://m.example' }, NOT_THEIRS],
  ['POST /api/organizations/{organization}/webhooks/{webhook}/rotate', {}, NOT_THEIRS],
  ['POST /api/connections/{own}/authorize', {}, ENDS],
  ['POST /api/connections/{own}/definitions/approve', { definitions: [] }, NOT_THEIRS],
  ['POST /api/events', { type: 'm.later', deliverAt: LATER }, ENDS],
  ['POST /api/events', { type: 'm.often', cron: '0 0 1 1 *' }, ENDS],
  ['POST /api/v1/keys', { name: 'm', grants: {} }, NOT_THEIRS],
  ['POST /api/v1/webhooks', { url: 'https://m.example', events: ['post.created'] }, NOT_THEIRS],
  ['GET /api/annotations/page-tokens/tag', undefined, NOT_THEIRS],
];

test.each(ROUTES)('%s is refused to it: %j', async (route, body, words) => {
  const answer = await ask(fill(route, world), token, body === undefined ? undefined : fill(body, world));
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringMatching(words)]);
});

test('it uses the bus in the name of its connection: now, and for itself alone', async () => {
  const done = async (name: string, input: Record<string, unknown> = {}) => {
    const { text, body } = await bed.call(token, name, fill(input, world));
    if (body.result === undefined || body.result.isError === true) throw new Error(text);
    return body.result.structuredContent;
  };
  const theirs = expect.objectContaining({ connectionId: connection, eventType: 'm.*' }) as unknown;
  expect(await done('EVENT_SUBSCRIBE', { eventType: 'm.*' })).toEqual({ subscription: theirs });
  expect(await done('EVENT_SUBSCRIPTION_LIST')).toEqual({ subscriptions: [theirs] });
  expect(await done('EVENT_PUBLISH', { type: 'm.now' })).toMatchObject({ source: connection });
  // What others asked for stays.
  expect(await done('EVENT_UNSUBSCRIBE', { subscriptionId: '{subscription}' })).toMatchObject({
    removed: false,
  });
  expect(await done('EVENT_CANCEL', { eventId: '{scheduled}' })).toMatchObject({ cancelled: false });
  expect(await done('EVENT_SYNC_SUBSCRIPTIONS', { subscriptions: [] })).toMatchObject({ deleted: 1 });
  const { body } = await bed.call(bed.all, 'EVENT_SUBSCRIPTION_LIST');
  expect(body.result?.structuredContent).toMatchObject({ subscriptions: [{ eventType: 'acme.*' }] });
});

test('what it takes away stays possible', async () => {
  for (const route of [
    'POST /api/agents/{agent}/schedules/{schedule}/pause',
    'POST /api/executions/{execution}/deny',
  ]) {
    const { status } = await ask(fill(route, world), token, {});
    expect([route, status]).toEqual([route, 200]);
  }
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
