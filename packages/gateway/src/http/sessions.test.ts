/** 2025 sessions: bound to the credential that opened them, counted, ended, forgotten when idle. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import type { ChangingLists } from '../../test/changing-lists.ts';
import { changingLists } from '../../test/changing-lists.ts';
import { openStream } from '../../test/event-stream.ts';
import { initialize, openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { send } from '@parley/test-support/wire';

const NOT_FOUND = { jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null };
const echo = { name: 'echo', arguments: { text: 'hi' } };

describe('a session', () => {
  let gateway: TestGateway;
  let lists: ChangingLists;
  let to: { port: number; key: string };

  beforeEach(async () => {
    lists = changingLists();
    gateway = await startGateway({ sources: [lists.source] });
    to = { port: gateway.port, key: gateway.ownerKey };
  });

  afterEach(async () => {
    await gateway[Symbol.asyncDispose]();
  });

  test('opens, lists, calls, reads and answers a ping', async () => {
    const session = await openSession(to);
    expect(session.id).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect((await session.request('ping')).json.result).toEqual({});
    const listed = await session.request('tools/list');
    const names = listed.json.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(names.toSorted());
    expect(listed.json.result).not.toHaveProperty('resultType');
    expect((await session.request('tools/call', echo)).json.result.structuredContent).toEqual({ text: 'hi' });
    const missing = await session.request('resources/read', { uri: 'lab://absent' });
    expect(missing.json.error).toMatchObject({ code: -32002, data: { uri: 'lab://absent' } });
  });

  test('used with another key is 404, like one that never was', async () => {
    const session = await openSession(to);
    const other = { ...to, key: (await gateway.key({ '*': ['*'] })).text };
    const stranger = { ...to, key: (await gateway.stranger('other')).text };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: echo });
    for (const foreign of [other, stranger]) {
      for (const method of ['POST', 'GET', 'DELETE']) {
        const request = { ...foreign, method, ...(method === 'POST' && { body }) };
        const answer = await send({ ...request, headers: session.headers });
        const absent = await send({
          ...request,
          headers: { ...session.headers, 'mcp-session-id': 'A'.repeat(22) },
        });
        expect({ method, status: answer.status, json: answer.json }).toEqual({
          method,
          status: 404,
          json: NOT_FOUND,
        });
        expect(answer.text).toBe(absent.text);
      }
    }
    expect(gateway.lab.ran).toEqual([]);
    expect((await session.request('tools/call', echo)).json.result.structuredContent).toEqual({ text: 'hi' });
  });

  test('used at another URL is 404', async () => {
    const session = await openSession(to);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await send({ ...to, path: '/mcp/lab', headers: session.headers, body })).json).toEqual(NOT_FOUND);
  });

  test('is gone after DELETE', async () => {
    const session = await openSession(to);
    expect((await session.end()).status).toBe(200);
    expect((await session.request('tools/list')).json).toEqual(NOT_FOUND);
    expect((await session.end()).json).toEqual(NOT_FOUND);
  });

  test('is needed for everything but the opening', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const answer = await send({ ...to, headers, body });
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toBe(-32000);
  });

  test('that the SDK refuses to open is not counted', async () => {
    const refused = await initialize({ ...to, headers: { accept: 'text/plain' } });
    expect(refused.status).toBe(406);
    expect(refused.headers).not.toHaveProperty('mcp-session-id');
  });

  test('hears of changes on its own stream, filtered by what its caller may know', async () => {
    const key = (await gateway.key({ lab: ['*'], moving: ['*'] })).text;
    const session = await openSession({ ...to, key });
    expect((await session.request('resources/subscribe', { uri: 'lab://note' })).json.result).toEqual({});
    expect((await session.request('resources/subscribe', { uri: 'vault://secret' })).json.error.code).toBe(
      -32002,
    );
    const stream = await openStream({ ...to, key, method: 'GET', headers: session.headers });
    const stranger = await gateway.stranger('other');
    lists.change(stranger.caller.organizationId, 'tools');
    gateway.changes.publish({ kind: 'resource', uri: 'lab://pages/1' });
    gateway.changes.publish({ kind: 'resource', uri: 'vault://secret' });
    gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
    expect(await stream.next()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'lab://note' },
    });
    lists.change(gateway.owner.organizationId, 'tools');
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  test('ends with the key that opened it, stream and all', async () => {
    const { text: key, id } = await gateway.key({ lab: ['*'] });
    const session = await openSession({ ...to, key });
    const stream = await openStream({ ...to, key, method: 'GET', headers: session.headers });
    await gateway.identity.revokeKey(gateway.owner, id);
    expect(await stream.next()).toBeUndefined();
    expect((await session.request('tools/list')).status).toBe(401);
  });
});

describe('the number of sessions', () => {
  test('200 sessions that were opened and left do not lock their key out', async () => {
    await using gateway = await startGateway();
    const to = { port: gateway.port, key: (await gateway.key({ lab: ['*'] })).text };
    const other = await openSession({ ...to, key: gateway.ownerKey });
    const sessions = [];
    for (let count = 0; count < 200; count += 1) sessions.push(await openSession(to));
    const statuses = await Promise.all(sessions.map(async ({ request }) => (await request('ping')).status));
    // The newest stay, and those of other keys.
    expect(statuses.slice(0, 136)).toEqual(Array.from({ length: 136 }, () => 404));
    expect(statuses.slice(136)).toEqual(Array.from({ length: 64 }, () => 200));
    expect((await other.request('ping')).status).toBe(200);
  });

  test('a busy session is never the one that makes room; when all are busy, it is 429', async () => {
    await using gateway = await startGateway({ limits: { sessionsPerCaller: 3 } });
    const to = { port: gateway.port, key: (await gateway.key({ lab: ['*'] })).text };
    const streaming = await openSession(to);
    const stream = await openStream({ ...to, method: 'GET', headers: streaming.headers });
    const calling = await openSession(to);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait' } });
    const call = await openStream({ ...to, headers: calling.headers, body });
    await gateway.lab.waiting.take();
    // The client loses its connection, and the call goes on: the client may come back for the answer.
    await call.close();
    const idle = await openSession(to);
    expect((await initialize(to)).status).toBe(200);
    expect((await idle.request('ping')).json).toEqual(NOT_FOUND);
    for (const session of [streaming, calling]) expect((await session.request('ping')).status).toBe(200);

    const third = await openSession(to);
    const held = await openStream({ ...to, method: 'GET', headers: third.headers });
    const refused = await initialize(to);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    expect(refused.json.error.message).toBe(
      'At most 3 sessions may be open at once, and all of them are busy.',
    );
    expect((await initialize({ ...to, key: gateway.ownerKey })).status).toBe(200);
    await held.close();
    await eventually(async () => expect((await initialize(to)).status).toBe(200));
    expect((await third.request('ping')).json).toEqual(NOT_FOUND);
    await stream.close();
  });

  test('a cancelled, an answered and a refused call leave no session busy', async () => {
    await using gateway = await startGateway({ limits: { sessionsPerCaller: 1 } });
    const to = { port: gateway.port, key: gateway.ownerKey };
    const session = await openSession(to);
    const post = (message: object) =>
      send({ ...to, headers: session.headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    await session.request('tools/call', echo);
    const wrong = await send({
      ...to,
      headers: { ...session.headers, accept: 'text/plain' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list' }),
    });
    expect(wrong.status).toBe(406);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'wait' } });
    const call = await openStream({ ...to, headers: session.headers, body });
    await gateway.lab.waiting.take();
    await post({ method: 'notifications/cancelled', params: { requestId: 4 } });
    await call.close();
    await eventually(async () => expect((await initialize(to)).status).toBe(200));
  });

  test('holds also when all of them are opened at once', async () => {
    await using gateway = await startGateway({ limits: { sessionsPerCaller: 3 } });
    const to = { port: gateway.port, key: gateway.ownerKey };
    const opened = await Promise.all(Array.from({ length: 12 }, () => initialize(to)));
    for (const { status } of opened) expect([200, 429]).toContain(status);
    const ids = opened.flatMap(({ headers }) => headers['mcp-session-id'] ?? []);
    expect(ids.length).toBeGreaterThanOrEqual(3);
    const alive = await Promise.all(ids.map((id) => isAlive(to, id)));
    expect(alive.filter(Boolean)).toHaveLength(3);
  });

  test('is not used up by openings that were refused', async () => {
    await using gateway = await startGateway({ limits: { sessionsPerCaller: 2 } });
    const to = { port: gateway.port, key: gateway.ownerKey };
    for (let count = 0; count < 5; count += 1) {
      expect((await initialize({ ...to, headers: { accept: 'text/plain' } })).status).toBe(406);
    }
    await eventually(async () => expect((await initialize(to)).status).toBe(200));
  });
});

describe('an idle session', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is forgotten after its time, and one in use is not', async () => {
    await using gateway = await startGateway({ limits: { sessionIdleMs: 30 * 60_000 } });
    const to = { port: gateway.port, key: gateway.ownerKey };
    vi.useFakeTimers({ toFake: ['performance'] });
    const idle = await openSession(to);
    const used = await openSession(to);
    vi.advanceTimersByTime(29 * 60_000);
    expect((await used.request('ping')).status).toBe(200);
    vi.advanceTimersByTime(2 * 60_000);
    expect((await idle.request('ping')).json).toEqual(NOT_FOUND);
    expect((await used.request('ping')).json.result).toEqual({});
  });

  test('is swept away without being asked for, and then takes no place', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    await using gateway = await startGateway({
      limits: { sessionIdleMs: 30 * 60_000, sessionsPerCaller: 1 },
    });
    const to = { port: gateway.port, key: gateway.ownerKey };
    const session = await openSession(to);
    await vi.advanceTimersByTimeAsync(32 * 60_000);
    expect((await session.request('ping')).json).toEqual(NOT_FOUND);
    expect((await initialize(to)).status).toBe(200);
  });
});

describe('what one session may ask for', () => {
  test('a batch costs one request for each of its messages, and has at most 100', async () => {
    await using gateway = await startGateway({ limits: { ratePerSecond: 0.01, rateBurst: 20 } });
    const to = { port: gateway.port, key: gateway.ownerKey };
    // Two requests: the opening, and the notice that it was heard.
    const session = await openSession(to);
    const batch = (size: number) =>
      send({
        ...to,
        headers: session.headers,
        body: JSON.stringify(
          Array.from({ length: size }, (_, id) => ({
            jsonrpc: '2.0',
            id,
            method: 'tools/call',
            params: echo,
          })),
        ),
      });
    expect((await batch(10)).status).toBe(200);
    expect(gateway.lab.ran).toHaveLength(10);
    const refused = await batch(10);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect((await batch(7)).status).toBe(200);
    expect((await session.request('ping')).status).toBe(429);
    expect(gateway.lab.ran).toHaveLength(17);
  });

  test('a batch of more than 100 messages is refused before any of them runs', async () => {
    await using gateway = await startGateway();
    const to = { port: gateway.port, key: gateway.ownerKey };
    const session = await openSession(to);
    const calls = Array.from({ length: 101 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: echo,
    }));
    const answer = await send({ ...to, headers: session.headers, body: JSON.stringify(calls) });
    expect([answer.status, answer.json.error]).toEqual([
      400,
      { code: -32600, message: 'Invalid Request: Batch must not exceed 100 messages' },
    ]);
    expect(gateway.lab.ran).toEqual([]);
  });

  test('it watches a thousand resources and no more, each with a short URI', async () => {
    await using gateway = await startGateway();
    const to = { port: gateway.port, key: gateway.ownerKey };
    const session = await openSession(to);
    const watch = (uri: string) => session.request('resources/subscribe', { uri });
    const long = await watch(`lab://pages/${'1'.repeat(2048)}`);
    expect(long.json.error).toEqual({ code: -32602, message: 'A URI to watch has at most 2048 bytes.' });
    for (let page = 0; page < 1000; page += 1)
      expect((await watch(`lab://pages/${page}`)).json.result).toEqual({});
    expect((await watch('lab://pages/1000')).json.error).toEqual({
      code: -32602,
      message: 'A session watches at most 1000 resources. Unsubscribe from one first.',
    });
    expect((await watch('lab://pages/7')).json.result).toEqual({});
    await session.request('resources/unsubscribe', { uri: 'lab://pages/7' });
    expect((await watch('lab://pages/1000')).json.result).toEqual({});
  });
});

async function isAlive(to: { port: number; key: string }, id: string): Promise<boolean> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': id,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  return (await send({ ...to, headers, body })).status === 200;
}
