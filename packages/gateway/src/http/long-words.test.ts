/** Words of a client that are as long as a body: answered whole where the protocol wants it, cut everywhere else. */
import { expect, test } from 'vitest';
import { initialize, LEGACY, openSession } from '../../test/session.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, modernCall, send, sendModern } from '@parley/test-support/wire';

const LONG = 'a.'.repeat(200_000);
const CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: LONG, version: '1' } };
const args = { text: 'hi' };

test('a long id comes back whole on every path, and records keep 128 characters of it', async () => {
  const id = LONG.slice(0, 4096);
  await using gateway = await startGateway();
  const to = { port: gateway.port, key: gateway.ownerKey };
  const hot = modernCall('echo', args, { id, meta: CLIENT });
  const viaSdk = modernCall('echo', args, { id, meta: { ...CLIENT, progressToken: 1 } });
  for (const message of [hot, viaSdk]) {
    const { status, json } = await sendModern(to, message);
    expect([status, json.id === id, json.result.structuredContent]).toEqual([200, true, args]);
  }
  const session = await openSession(to);
  const legacy = await session.request('tools/call', { name: 'echo', arguments: args }, id);
  expect([legacy.json.id === id, legacy.json.result.structuredContent]).toEqual([true, args]);
  const short = LONG.slice(0, 128);
  expect((await gateway.records()).map(({ requestId, client }) => [requestId, client])).toEqual([
    [short, short],
    [short, short],
    [short, 'session-test'],
  ]);
});

test.each([
  ['id', modernCall('echo', args, { id: LONG })],
  ['method', { ...modern('tools/list'), method: LONG }],
  ['name', modernCall(LONG, args)],
  ['uri', modern('resources/read', { uri: LONG })],
])(
  'a message with a %s of megabytes is refused, and the answer repeats none of it',
  async (what, message) => {
    await using gateway = await startGateway();
    const to = { port: gateway.port, key: gateway.ownerKey };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    for (const body of [message, [message]]) {
      const { status, text } = await send({ ...to, headers, body: JSON.stringify(body) });
      expect([status, text.length < 200, text.includes(`${what} has at most`)]).toEqual([400, true, true]);
    }
  },
);

test('a session that opens with a long client name is recorded with 128 characters of it', async () => {
  await using gateway = await startGateway();
  const to = { port: gateway.port, key: gateway.ownerKey };
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: LONG, version: '1' } };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (message: object, more = {}) =>
    send({ ...to, headers: { ...headers, ...more }, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const opened = await post({ id: 0, method: 'initialize', params });
  const id = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  await post({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: args } }, id);
  expect((await gateway.records()).map(({ client }) => client)).toEqual([LONG.slice(0, 128)]);
});

test('a long name that nothing has is denied, and records keep 200 characters of it', async () => {
  const NAME = LONG.slice(0, 8000);
  await using gateway = await startGateway();
  const to = { port: gateway.port, key: (await gateway.key({})).text };
  // Headers have a limit of their own, so these go by the body alone, down the path of a session.
  const session = await openSession(to);
  await session.request('tools/call', { name: NAME, arguments: {} });
  await session.request('resources/read', { uri: `lab://${NAME}` });
  await session.request('prompts/get', { name: NAME });
  expect((await gateway.records()).map(({ tool, outcome }) => [tool.length, outcome])).toEqual([
    [200, 'denied'],
    [200, 'denied'],
    [200, 'denied'],
  ]);
  expect((await initialize(to)).status).toBe(200);
});

test('a long cursor is refused like any bad cursor, in both eras', async () => {
  await using gateway = await startGateway();
  const to = { port: gateway.port, key: gateway.ownerKey };
  const cursorOf = (name: string) => Buffer.from(name).toString('base64url');
  const bad = {
    code: -32602,
    message: 'Invalid cursor: it is not of this list, or the list has changed. List again without a cursor.',
  };
  const session = await openSession(to);
  for (const cursor of [cursorOf('x'.repeat(129)), cursorOf(LONG), '', '!']) {
    expect((await sendModern(to, modern('tools/list', { cursor }))).json.error).toEqual(bad);
    expect((await session.request('tools/list', { cursor })).json.error).toEqual(bad);
  }
});
