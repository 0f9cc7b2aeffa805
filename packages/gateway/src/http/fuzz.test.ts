/** Random messages of every shape: never a 5xx, never a hang, never a fault of ours, and the next request works. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initialize, openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { MODERN, modernCall, modernHeaders, send, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let to: { port: number; key: string };

beforeAll(async () => {
  gateway = await startGateway({ limits: { sessionsPerCaller: 10_000 } });
  to = { port: gateway.port, key: gateway.ownerKey };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const call = modernCall('echo', { text: 'hi' });
const LEAK = /node_modules|packages\/|\.ts:\d|SQLITE|parley_[0-9A-Za-z]{12}_/;

async function expectCalm(body: string, headers: Record<string, string>): Promise<void> {
  const answer = await send({ ...to, headers, body });
  expect(answer.status).toBeLessThan(500);
  expect(answer.text).not.toMatch(LEAK);
  const next = await sendModern(to, call);
  expect(next.json.result.structuredContent).toEqual({ text: 'hi' });
}

// Listening and waiting are the two things that rightly have no end.
const methods = fc.constantFrom(
  'tools/call',
  'tools/list',
  'resources/read',
  'resources/list',
  'resources/templates/list',
  'prompts/get',
  'prompts/list',
  'completion/complete',
  'server/discover',
  'initialize',
  'ping',
  'notifications/cancelled',
  'notifications/initialized',
  'tasks/get',
  'x',
);
const names = fc.constantFrom(
  'echo',
  'typed',
  'ask',
  'region',
  'greet',
  'open',
  'fail',
  'lab://note',
  'lab://pages/%00',
  '__proto__',
);
const anything = fc.jsonValue({ maxDepth: 3 });
const orAnything = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: anything });

const meta = fc.dictionary(
  fc.constantFrom(
    'io.modelcontextprotocol/protocolVersion',
    'io.modelcontextprotocol/clientCapabilities',
    'io.modelcontextprotocol/clientInfo',
    'io.modelcontextprotocol/logLevel',
    'io.modelcontextprotocol/unknown',
    'progressToken',
    'traceparent',
    '__proto__',
  ),
  orAnything(
    fc.constantFrom<unknown>(MODERN, {}, { elicitation: {} }, { name: 'f', version: '1' }, 'debug', 7),
  ),
);
const params = fc.record(
  {
    name: orAnything(names),
    uri: orAnything(names),
    arguments: orAnything(
      fc.dictionary(fc.constantFrom('text', 'topic', 'region', 'name', '__proto__'), anything),
    ),
    cursor: anything,
    requestState: anything,
    inputResponses: anything,
    ref: anything,
    argument: anything,
    _meta: orAnything(meta),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: orAnything(fc.constant('2.0')),
    id: orAnything(fc.oneof(fc.integer(), fc.string())),
    method: orAnything(methods),
    params: orAnything(params),
    result: anything,
    error: anything,
  },
  { requiredKeys: ['jsonrpc', 'method'] },
);

test('random modern messages never break anything', async () => {
  await fc.assert(
    fc.asyncProperty(message, fc.boolean(), async (value, isFilled) => {
      const known = {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const inner: object = typeof value.params === 'object' && value.params !== null ? value.params : {};
      const filled = isFilled ? { ...value, params: Object.assign({}, inner, { _meta: known }) } : value;
      const method = typeof value.method === 'string' ? value.method : 'tools/call';
      const name = 'name' in inner && typeof inner.name === 'string' ? inner.name : 'echo';
      const headers = { ...modernHeaders(call), 'mcp-method': method, 'mcp-name': name };
      await expectCalm(JSON.stringify(filled), safeHeaders(headers));
    }),
    { numRuns: 500 },
  );
  expect(gateway.faults).toEqual([]);
});

test('random bodies with random headers never break anything', async () => {
  const noise = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(message).map((list) => JSON.stringify(list)),
  );
  const headers = fc.dictionary(
    fc.constantFrom(
      'mcp-method',
      'mcp-name',
      'mcp-protocol-version',
      'mcp-session-id',
      'accept',
      'mcp-param-region',
      'last-event-id',
    ),
    fc.string({ unit: 'grapheme-ascii' }),
  );
  await fc.assert(
    fc.asyncProperty(noise, headers, async (body, extra) => {
      await expectCalm(body, safeHeaders({ ...modernHeaders(call), ...extra }));
    }),
    { numRuns: 400 },
  );
  expect(gateway.faults).toEqual([]);
});

test('random messages in a 2025 session never break it', async () => {
  const session = await openSession(to);
  // A message of a session's own needs an end, so what opens another session or a stream stays out.
  const inSession = message.filter(({ method }) => method !== 'initialize');
  await fc.assert(
    fc.asyncProperty(inSession, async (value) => {
      const answer = await send({ ...to, headers: session.headers, body: JSON.stringify(value) });
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toMatch(LEAK);
      const next = await session.request('tools/call', { name: 'echo', arguments: { text: 'hi' } });
      expect(next.json.result.structuredContent).toEqual({ text: 'hi' });
    }),
    { numRuns: 300 },
  );
  expect(gateway.faults).toEqual([]);
});

test('random openings of a session are answered, and leave room for a good one', async () => {
  await fc.assert(
    fc.asyncProperty(anything, async (value) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: value });
      expect((await send({ ...to, headers, body })).status).toBeLessThan(500);
    }),
    { numRuns: 100 },
  );
  expect((await initialize(to)).status).toBe(200);
  expect(gateway.faults).toEqual([]);
});

/** What the client of the test can send at all. */
function safeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\x20-\x7e]/g, '?')]),
  );
}
