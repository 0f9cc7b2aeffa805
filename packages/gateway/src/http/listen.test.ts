/** Listen streams: acknowledged first, only what was asked for, only what the caller may know, and only so many. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import type { EventStream } from '../../test/event-stream.ts';
import { openStream } from '../../test/event-stream.ts';
import type { ChangingLists } from '../../test/changing-lists.ts';
import { changingLists } from '../../test/changing-lists.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, modernCall, modernHeaders, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let lists: ChangingLists;

beforeEach(async () => {
  lists = changingLists();
  gateway = await startGateway({ limits: { streamsPerCaller: 64 }, sources: [lists.source] });
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
});

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** Opens a listen stream; a refusal comes as JSON and has no events. */
function listen(
  key: string,
  notifications: Record<string, unknown>,
  id: string | number = 'sub',
): Promise<EventStream> {
  const message = modern('subscriptions/listen', { notifications }, { id });
  return openStream({
    port: gateway.port,
    key,
    headers: modernHeaders(message),
    body: JSON.stringify(message),
  });
}

/** Sends two marks of the caller's own after whatever was published, so that silence before them is proved. */
async function methodsUntilMark(stream: EventStream): Promise<string[]> {
  const seen: string[] = [];
  gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
  for (;;) {
    const message = await stream.next();
    if (message === undefined) return [...seen, 'end'];
    if (message.params?.uri === 'lab://note') return seen;
    seen.push(message.method);
  }
}

const MARK = { resourceSubscriptions: ['lab://note'] };

test('the acknowledgement comes first and names what is honoured', async () => {
  const stream = await listen(
    gateway.ownerKey,
    { toolsListChanged: true, promptsListChanged: false, ...MARK },
    7,
  );
  expect(stream.status).toBe(200);
  expect(stream.headers['content-type']).toBe('text/event-stream');
  expect(stream.headers['x-accel-buffering']).toBe('no');
  lists.change(gateway.owner.organizationId, 'tools');
  expect(await stream.next()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true, ...MARK }, _meta: { [SUBSCRIPTION]: 7 } },
  });
  const notice = await stream.next();
  expect(notice).toMatchObject({
    method: 'notifications/tools/list_changed',
    params: { _meta: { [SUBSCRIPTION]: 7 } },
  });
  expect(notice).not.toHaveProperty('id');
});

test('only what was asked for arrives', async () => {
  const stream = await listen(gateway.ownerKey, { promptsListChanged: true, ...MARK });
  await stream.next();
  const { organizationId } = gateway.owner;
  lists.change(organizationId, 'tools');
  lists.change(organizationId, 'resources');
  gateway.changes.publish({ kind: 'resource', uri: 'lab://pages/1' });
  lists.change(organizationId, 'prompts');
  expect(await methodsUntilMark(stream)).toEqual(['notifications/prompts/list_changed']);
});

test("another organization's change is not delivered", async () => {
  const stranger = await gateway.stranger('other');
  const stream = await listen(gateway.ownerKey, { toolsListChanged: true, ...MARK });
  await stream.next();
  lists.change(stranger.caller.organizationId, 'tools');
  gateway.changes.publish({
    kind: 'resource',
    uri: 'lab://note',
    organizationId: stranger.caller.organizationId,
  });
  lists.change(gateway.owner.organizationId, 'tools');
  expect(await methodsUntilMark(stream)).toEqual(['notifications/tools/list_changed']);
});

test('URIs that the caller may not read are dropped like URIs that do not exist', async () => {
  const { text: key } = await gateway.key({ lab: ['*'] });
  const uris = ['lab://note', 'vault://secret', 'lab://absent', 'lab://pages/7'];
  const stream = await listen(key, { resourceSubscriptions: uris });
  const { params } = await stream.next();
  expect(params.notifications).toEqual({ resourceSubscriptions: ['lab://note', 'lab://pages/7'] });
  gateway.changes.publish({ kind: 'resource', uri: 'vault://secret' });
  expect(await methodsUntilMark(stream)).toEqual([]);
});

test('a right that is lost during a stream silences it', async () => {
  const { owner } = gateway;
  const userId = await gateway.identity.createUser({ name: 'Mia', email: null });
  await gateway.identity.roles.save(owner, { name: 'reader', grants: { lab: ['*'], vault: ['*'] } });
  await gateway.identity.roles.save(owner, { name: 'narrow', grants: { lab: ['*'] } });
  await gateway.identity.addMember(owner, { userId, roles: ['reader'] });
  const mia = { ...owner, userId, roles: ['reader'], grants: { lab: ['*'], vault: ['*'] } };
  const { text: key } = await gateway.key({ lab: ['*'], vault: ['*'] }, { maker: mia });
  const stream = await listen(key, { resourceSubscriptions: ['lab://note', 'vault://secret'] });
  await stream.next();
  gateway.changes.publish({ kind: 'resource', uri: 'vault://secret' });
  expect(await methodsUntilMark(stream)).toEqual(['notifications/resources/updated']);
  await gateway.identity.setRoles(owner, { userId, roles: ['narrow'] });
  await eventually(async () => expect((await gateway.callerOf(key)).grants).toEqual({ lab: ['*'] }));
  gateway.changes.publish({ kind: 'resource', uri: 'vault://secret' });
  expect(await methodsUntilMark(stream)).toEqual([]);
});

test('a revoked key ends its stream, and nothing more arrives', async () => {
  const { text: key, id } = await gateway.key({ lab: ['*'] });
  const stream = await listen(key, { toolsListChanged: true, ...MARK });
  await stream.next();
  await gateway.identity.revokeKey(gateway.owner, id);
  expect(await methodsUntilMark(stream)).toEqual(['end']);
});

test('a request that asks for nothing that exists is acknowledged and ends', async () => {
  const stream = await listen(gateway.ownerKey, {});
  expect((await stream.next()).params.notifications).toEqual({});
  expect(await stream.next()).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
  expect(await stream.next()).toBeUndefined();
});

test.each([
  ['no filter', {}],
  ['a filter that is a list', { notifications: [] }],
  ['URIs that are no strings', { notifications: { resourceSubscriptions: [7] } }],
])('%s is -32602', async (_name, params) => {
  const answer = await sendModern(
    { port: gateway.port, key: gateway.ownerKey },
    modern('subscriptions/listen', params),
  );
  expect(answer.json.error.code).toBe(-32602);
});

test('a caller has at most 64 streams; a closed one makes room; others are not held up', async () => {
  const { text: key } = await gateway.key({ lab: ['*'] });
  const streams = await Promise.all(
    Array.from({ length: 64 }, (_, at) => listen(key, { toolsListChanged: true }, at)),
  );
  for (const stream of streams)
    expect((await stream.next()).method).toBe('notifications/subscriptions/acknowledged');
  const message = modern(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { id: 'one-more' },
  );
  const refused = await sendModern({ port: gateway.port, key }, message);
  expect(refused.json).toEqual({
    jsonrpc: '2.0',
    error: { code: -32603, message: 'Subscription limit reached' },
    id: 'one-more',
  });
  const other = await listen(gateway.ownerKey, { toolsListChanged: true });
  expect((await other.next()).method).toBe('notifications/subscriptions/acknowledged');
  await streams[0]?.close();
  await eventually(async () => {
    const again = await listen(key, { toolsListChanged: true }, 'again');
    expect(again.headers['content-type']).toBe('text/event-stream');
  });
  expect((await sendModern({ port: gateway.port, key }, modernCall('echo', { text: 'hi' }))).status).toBe(
    200,
  );
});

test('the streams of all callers together have a limit too', async () => {
  await using small = await startGateway({ limits: { streamsPerProcess: 2 } });
  const keys = await Promise.all([1, 2, 3].map(async () => (await small.key({ lab: ['*'] })).text));
  const message = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const open = (key: string) =>
    openStream({ port: small.port, key, headers: modernHeaders(message), body: JSON.stringify(message) });
  for (const key of keys.slice(0, 2))
    expect((await (await open(key)).next()).method).toContain('acknowledged');
  expect((await sendModern({ port: small.port, key: keys[2]! }, message)).json.error.code).toBe(-32603);
});

test('when the server stops, the stream gets its result and ends', async () => {
  const stopping = await startGateway();
  const message = modern(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { id: 'last' },
  );
  const sending = {
    port: stopping.port,
    key: stopping.ownerKey,
    headers: modernHeaders(message),
    body: JSON.stringify(message),
  };
  const stream = await openStream(sending);
  await stream.next();
  const stopped = stopping[Symbol.asyncDispose]();
  expect(await stream.next()).toMatchObject({
    id: 'last',
    result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 'last' } },
  });
  expect(await stream.next()).toBeUndefined();
  await stopped;
});
