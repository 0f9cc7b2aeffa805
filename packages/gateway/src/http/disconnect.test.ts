/** A client that goes away in mid-call: the tool hears of it, the record says so, and the server goes on. */
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Message } from '@parley/test-support/wire';
import { modernCall, modernHeaders, open, send, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let to: { port: number; key: string };

beforeAll(async () => {
  gateway = await startGateway();
  to = { port: gateway.port, key: gateway.ownerKey };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

beforeEach(() => {
  gateway.faults.length = 0;
});

/** Sends a call that waits, goes away once it runs, and gives back the signal that the tool had. */
async function leave(message: Message): Promise<AbortSignal> {
  const req = open({ ...to, headers: modernHeaders(message), body: JSON.stringify(message) });
  req.on('error', () => undefined);
  const signal = await gateway.lab.waiting.take();
  expect(signal.aborted).toBe(false);
  const fired = new Promise((resolve) => {
    signal.addEventListener('abort', resolve);
  });
  req.destroy();
  await fired;
  return signal;
}

async function expectRecorded(requestId: string): Promise<void> {
  const record = await eventually(async () => {
    const found = (await gateway.records()).find((candidate) => candidate.requestId === requestId);
    expect(found).toBeDefined();
    return found;
  });
  expect(record).toMatchObject({ tool: 'wait', outcome: 'cancelled', code: null });
}

test.each([
  ['the hot path', modernCall('wait', {}, { id: 'hot' })],
  ['the SDK path', modernCall('wait', {}, { id: 'sdk', meta: { progressToken: 1 } })],
])('a call on %s that loses its client is told so, and the server goes on', async (_name, message) => {
  const signal = await leave(message);
  expect(signal.aborted).toBe(true);
  expect((await sendModern(to, modernCall('echo', { text: 'hi' }))).json.result.structuredContent).toEqual({
    text: 'hi',
  });
});

test('a call on the hot path that lost its client is recorded as cancelled, and is no fault', async () => {
  await leave(modernCall('wait', {}, { id: 'hot-recorded' }));
  await expectRecorded('hot-recorded');
  expect(gateway.faults).toEqual([]);
});

// The engine takes the SDK's own reason for a fault of the tool; once it looks at the signal these two pass.
test('a call on the SDK path that lost its client is recorded as cancelled, and is no fault', async () => {
  await leave(modernCall('wait', {}, { id: 'sdk-recorded', meta: { progressToken: 1 } }));
  await expectRecorded('sdk-recorded');
  expect(gateway.faults).toEqual([]);
});

test('fifty clients that leave at once leave nothing behind', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `many-${index}`);
  await Promise.all(ids.map((id) => leave(modernCall('wait', {}, { id }))));
  await eventually(async () => {
    const cancelled = (await gateway.records()).filter(({ requestId }) => requestId?.startsWith('many-'));
    expect(cancelled.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'cancelled'));
  });
  expect(gateway.faults).toEqual([]);
});

test('a call whose client stays is not cancelled by the end of its answer', async () => {
  const answer = await sendModern(to, modernCall('echo', { text: 'hi' }, { id: 'stays' }));
  expect(answer.status).toBe(200);
  const record = (await gateway.records()).find(({ requestId }) => requestId === 'stays');
  expect(record?.outcome).toBe('ok');
});

test('a client that leaves in the middle of its body runs nothing', async () => {
  const message = modernCall('echo', { text: 'half' });
  const before = (await gateway.records()).length;
  const req = request({
    host: '127.0.0.1',
    port: to.port,
    path: '/mcp',
    method: 'POST',
    headers: {
      ...modernHeaders(message),
      authorization: `Bearer ${to.key}`,
      'content-length': 1000,
      expect: '100-continue',
    },
  });
  const gone = new Promise((resolve) => {
    req.on('error', resolve);
  });
  req.flushHeaders();
  // The server says this when it has begun to read, so the request is under way.
  req.once('continue', () => req.write(JSON.stringify(message), () => req.destroy(new Error('gone'))));
  await gone;
  expect((await sendModern(to, modernCall('echo', { text: 'next' }))).status).toBe(200);
  expect((await gateway.records()).length).toBe(before + 1);
  expect(gateway.faults).toEqual([]);
});

/** Starts a waiting call in a session and sends the notice that cancels it. */
async function cancelInSession(requestId: string): Promise<AbortSignal> {
  const session = await openSession(to);
  const call = session.request('tools/call', { name: 'wait', arguments: {} }, requestId);
  const signal = await gateway.lab.waiting.take();
  const notice = {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'enough' },
  };
  const fired = new Promise((resolve) => {
    signal.addEventListener('abort', resolve);
  });
  expect((await send({ ...to, headers: session.headers, body: JSON.stringify(notice) })).status).toBe(202);
  await fired;
  await session.end();
  // It was cancelled, so however it ended is fine.
  await call.catch(() => undefined);
  return signal;
}

test('a 2025 call is cancelled by its notice', async () => {
  expect((await cancelInSession('legacy-wait')).aborted).toBe(true);
});

test('a 2025 call that was cancelled by its notice is recorded so, and is no fault', async () => {
  await cancelInSession('legacy-recorded');
  await expectRecorded('legacy-recorded');
  expect(gateway.faults).toEqual([]);
});
