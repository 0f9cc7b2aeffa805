/** Listening: one watch of an upstream for all clients, in both eras, closed with the last of them. */
import { eventually } from '@parley/test-support/eventually';
import { modern, modernHeaders } from '@parley/test-support/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventStream } from '../../test/event-stream.ts';
import { openStream } from '../../test/event-stream.ts';
import { openSession } from '../../test/session.ts';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, targetOf } from '../../test/scripted-links.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';

let bed: Bed;
let gateway: TestGateway;
let organizationId: string;
const streams: EventStream[] = [];

const watchable = {
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
  resources: [
    { name: 'one', uri: 'doc://1' },
    { name: 'two', uri: 'doc://2' },
  ],
};

beforeEach(async () => {
  bed = startBed({
    // Every user of conn_own brings a token of their own.
    credentials: (caller, connection) => ({
      target: {
        ...targetOf(connection),
        principal: connection.id === 'conn_own' ? (caller.userId ?? '') : '',
      },
    }),
  });
  gateway = await startGateway({ connections: bed.gateway });
  ({ organizationId } = gateway.owner);
  bed.give(
    organizationId,
    served('conn_1', { organizationId, ...watchable }),
    served('conn_2', { organizationId, ...watchable }),
    served('conn_quiet', { organizationId }),
  );
});

afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.close();
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
  expect(bed.faults).toEqual([]);
});

async function listen(notifications: object, path = '/mcp/conn_1'): Promise<EventStream> {
  const message = modern('subscriptions/listen', { notifications });
  const stream = await openStream({
    port: gateway.port,
    key: gateway.ownerKey,
    path,
    method: 'POST',
    headers: modernHeaders(message),
    body: JSON.stringify(message),
  });
  streams.push(stream);
  expect(await stream.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  return stream;
}

const watchOf = (connectionId: string) => bed.watches.filter((watch) => watch.connectionId === connectionId);

test('check 32: two clients of both eras share one watch of a document, and it ends with the last', async () => {
  const stream = await listen({ resourceSubscriptions: ['doc://1'] });
  const session = await openSession({ port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' });
  await session.request('resources/subscribe', { uri: 'doc://1' });
  const told = await openStream({
    port: gateway.port,
    key: gateway.ownerKey,
    path: '/mcp/conn_1',
    method: 'GET',
    headers: session.headers,
  });
  streams.push(told);
  await eventually(() => expect(watchOf('conn_1').map(({ uris }) => [...uris])).toEqual([['doc://1']]));
  await session.request('resources/subscribe', { uri: 'doc://2' });
  await eventually(() =>
    expect(watchOf('conn_1').map(({ uris }) => [...uris])).toEqual([['doc://1', 'doc://2']]),
  );

  watchOf('conn_1')[0]?.tell({ kind: 'resource', uri: 'doc://1' });
  const updated = { method: 'notifications/resources/updated', params: { uri: 'doc://1' } };
  expect(await stream.next()).toMatchObject(updated);
  expect(await told.next()).toMatchObject(updated);

  await session.request('resources/unsubscribe', { uri: 'doc://2' });
  await eventually(() => expect(watchOf('conn_1').map(({ uris }) => [...uris])).toEqual([['doc://1']]));
  await stream.close();
  await session.end();
  await eventually(() => expect(bed.watches).toEqual([]));
});

test('check 32: after a lost stream each document is told once, and the lists are looked at', async () => {
  const stream = await listen({ resourceSubscriptions: ['doc://1'] });
  await eventually(() => expect(watchOf('conn_1')[0]?.uris.size).toBe(1));
  watchOf('conn_1')[0]?.tell({ kind: 'reopened' });
  expect(await stream.next()).toMatchObject({ params: { uri: 'doc://1' } });
  expect(bed.announced).toEqual(['conn_1']);
});

test('one URI of two servers: each client hears of its own', async () => {
  const [first, second] = [
    await listen({ resourceSubscriptions: ['doc://1'] }),
    await listen({ resourceSubscriptions: ['doc://1'] }, '/mcp/conn_2'),
  ];
  const shared = await listen({ resourceSubscriptions: ['parley://conn_2/doc%3A%2F%2F1'] }, '/mcp');
  await eventually(() => expect(watchOf('conn_2')[0]?.uris.size).toBe(1));
  watchOf('conn_2')[0]?.tell({ kind: 'resource', uri: 'doc://1' });
  expect(await second.next()).toMatchObject({ params: { uri: 'doc://1' } });
  expect(await shared.next()).toMatchObject({ params: { uri: 'parley://conn_2/doc%3A%2F%2F1' } });
  await eventually(() => expect(watchOf('conn_1')[0]?.uris.size).toBe(1));
  watchOf('conn_1')[0]?.tell({ kind: 'resource', uri: 'doc://1' });
  expect(await first.next()).toMatchObject({ params: { uri: 'doc://1' } });
});

test('while somebody listens for lists, upstreams are heard that tell of theirs, and only those who see it are told', async () => {
  const [first, second] = [
    await listen({ toolsListChanged: true }),
    await listen({ toolsListChanged: true }, '/mcp/conn_2'),
  ];
  await eventually(() =>
    expect(bed.watches.map(({ connectionId }) => connectionId).toSorted()).toEqual(['conn_1', 'conn_2']),
  );
  watchOf('conn_1')[0]?.tell({ kind: 'tools' });
  expect(bed.announced).toEqual(['conn_1']);
  const tools = [servedTool('work'), servedTool('more')];
  bed.give(
    organizationId,
    served('conn_1', { organizationId, ...watchable, tools }),
    served('conn_2', { organizationId, ...watchable }),
  );
  expect(await first.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  bed.give(
    organizationId,
    served('conn_1', { organizationId, ...watchable, tools }),
    served('conn_2', { organizationId, ...watchable, tools }),
  );
  // The first notice of the second stream is of its own connection: that of the other one was not for it.
  expect(await second.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  await second.close();
  await first.close();
  await eventually(() => expect(bed.watches).toEqual([]));
});

test('a connection that leads somewhere else is listened to there', async () => {
  await listen({ resourceSubscriptions: ['doc://1'] });
  await eventually(() => expect(watchOf('conn_1')[0]?.uris.size).toBe(1));
  const [before] = watchOf('conn_1');
  bed.give(organizationId, served('conn_1', { organizationId, revision: 2, ...watchable }));
  await eventually(() => {
    expect(watchOf('conn_1')).toHaveLength(1);
    expect(watchOf('conn_1')[0]).not.toBe(before);
    expect(watchOf('conn_1')[0]?.uris.size).toBe(1);
  });
});

test('what is watched with the credentials of a person is told to that person alone', async () => {
  bed.give(organizationId, served('conn_own', { organizationId, ...watchable }));
  const stream = await listen({ resourceSubscriptions: ['doc://1'] }, '/mcp/conn_own');
  await eventually(() => expect(watchOf('conn_own')[0]?.principal).toBe(gateway.owner.userId));
  await eventually(() => expect(watchOf('conn_own')[0]?.uris.size).toBe(1));
  gateway.changes.publish({
    kind: 'resource',
    uri: 'doc://1',
    organizationId,
    toolset: 'conn_own',
    userId: 'another',
  });
  watchOf('conn_own')[0]?.tell({ kind: 'resource', uri: 'doc://1' });
  expect(await stream.next()).toMatchObject({ params: { uri: 'doc://1' } });
  gateway.changes.publish({ kind: 'resource', uri: 'doc://1', organizationId, toolset: 'conn_1' });
  await stream.close();
});

test('a connection that is switched off is not listened to, and is again when it is on', async () => {
  await listen({ resourceSubscriptions: ['doc://1'] });
  await eventually(() => expect(watchOf('conn_1')).toHaveLength(1));
  const put = (status: 'active' | 'inactive', version: string) =>
    bed.give(organizationId, served('conn_1', { organizationId, ...watchable, status, version }));
  put('inactive', '2');
  await eventually(() => expect(watchOf('conn_1')).toEqual([]));
  put('inactive', '3');
  await bed.gateway.source.prepare?.(organizationId);
  expect(watchOf('conn_1')).toEqual([]);
  put('active', '4');
  await eventually(() => expect(watchOf('conn_1')).toHaveLength(1));
});
