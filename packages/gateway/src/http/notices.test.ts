/** What notices cost: one look at the rights of a caller, however many streams it has, and none for what nobody asked for. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import type { EventStream } from '../../test/event-stream.ts';
import { openStream } from '../../test/event-stream.ts';
import type { ChangingLists } from '../../test/changing-lists.ts';
import { changingLists } from '../../test/changing-lists.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, modernHeaders, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let lists: ChangingLists;

beforeEach(async () => {
  lists = changingLists();
  gateway = await startGateway({ sources: [lists.source] });
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
});

const NOTE = { resourceSubscriptions: ['lab://note'] };

function listenMessage(notifications: Record<string, unknown>) {
  const message = modern('subscriptions/listen', { notifications });
  return { headers: modernHeaders(message), body: JSON.stringify(message), message };
}

async function listen(key: string, notifications: Record<string, unknown>): Promise<EventStream> {
  const { headers, body } = listenMessage(notifications);
  const stream = await openStream({ port: gateway.port, key, headers, body });
  expect((await stream.next()).method).toContain('acknowledged');
  return stream;
}

const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

test('all streams of a caller share one look at its rights, also with a key that expires', async () => {
  const { text: key } = await gateway.key({ lab: ['*'] }, { expiresAt: Date.now() + 3_600_000 });
  const streams = await times(20, () => listen(key, NOTE));
  const reads = vi.spyOn(gateway.store, 'db');
  for (let at = 0; at < 5; at += 1) {
    gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
    for (const stream of streams) expect((await stream.next()).params.uri).toBe('lab://note');
  }
  expect(gateway.lookUps.count).toBe(5);
  // The rights of the first notice hold for the others. The store keeps the last use of keys meanwhile, so a read or two may be its own.
  const readsOfFive = reads.mock.calls.length;
  for (let at = 0; at < 10; at += 1) {
    gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
    for (const stream of streams) await stream.next();
  }
  expect(reads.mock.calls.length - readsOfFive).toBeLessThan(10);
});

test('a notice that nobody asked for looks nothing up', async () => {
  const stream = await listen(gateway.ownerKey, NOTE);
  for (let at = 0; at < 100; at += 1) {
    gateway.changes.publish({ kind: 'resource', uri: `lab://pages/${at}` });
    gateway.changes.publish({ kind: 'resources' });
  }
  gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
  expect((await stream.next()).params.uri).toBe('lab://note');
  expect(gateway.lookUps.count).toBe(1);
});

test('a notice that is due many times at once is told once', async () => {
  const stream = await listen(gateway.ownerKey, { ...NOTE, promptsListChanged: true });
  for (let at = 0; at < 100; at += 1) gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
  lists.change(gateway.owner.organizationId, 'prompts');
  const methods = [(await stream.next()).method, (await stream.next()).method];
  expect(methods).toEqual(['notifications/resources/updated', 'notifications/prompts/list_changed']);
});

test('a revoked key ends a stream that asked for something else', async () => {
  const { text: key, id } = await gateway.key({ lab: ['*'] });
  const stream = await listen(key, NOTE);
  await gateway.identity.revokeKey(gateway.owner, id);
  expect(await stream.next()).toBeUndefined();
});

test('an organization has fewer streams than the process, so that others find a place', async () => {
  await using small = await startGateway({
    limits: { streamsPerCaller: 1, streamsPerOrganization: 2, streamsPerProcess: 3 },
  });
  const { headers, body, message } = listenMessage(NOTE);
  const keys = await times(3, async () => (await small.key({ lab: ['*'] })).text);
  const stranger = await small.stranger('other');
  const open = (key: string) => openStream({ port: small.port, key, headers, body });
  for (const key of keys.slice(0, 2))
    expect((await (await open(key)).next()).method).toContain('acknowledged');
  const refused = await sendModern({ port: small.port, key: keys[2]! }, message);
  expect(refused.json.error).toEqual({ code: -32603, message: 'Subscription limit reached' });
  const theirs = await open(stranger.text);
  expect((await theirs.next()).method).toContain('acknowledged');
  await theirs.close();
  await eventually(async () => expect((await (await open(stranger.text)).next()).method).toContain('ack'));
});

test('a notice for an agent reaches nobody who does not act as it, and it is known who watches', async () => {
  const stream = await listen(gateway.ownerKey, { ...NOTE, promptsListChanged: true });
  const { organizationId } = gateway.owner;
  expect(gateway.changes.watchersOf('lab://note')).toMatchObject([{ organizationId }]);
  expect(gateway.changes.watchersOf('lab://other')).toEqual([]);
  gateway.changes.publish({ kind: 'resource', uri: 'lab://note', organizationId, agentId: 'agt_other' });
  lists.change(gateway.owner.organizationId, 'prompts');
  expect((await stream.next()).method).toBe('notifications/prompts/list_changed');
});
