/** Every row of the table of errors, as MCP answers it and as the plain route does. */
import { defineTool, defineToolset } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { modernCall, open, send, sendModern } from '@parley/test-support/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { openStream } from '../../test/event-stream.ts';
import type { Answering, Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, text } from '../../test/scripted-links.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { FaultKind } from '../upstream/link.ts';
import { UpstreamFault } from '../upstream/link.ts';

let bed: Bed;
let gateway: TestGateway;
let to: { port: number; key: string };

const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
const read = { annotations: { readOnlyHint: true } };

const own = defineToolset({
  name: 'own',
  title: 'Own',
  tools: [
    defineTool({
      name: 'add_one',
      title: 'Add one',
      description: 'Adds one.',
      effect: 'read',
      input: z.object({ n: z.number() }),
      output: z.object({ n: z.number() }),
      run: ({ n }) => ({ n: n + 1 }),
    }),
  ],
});

beforeAll(async () => {
  bed = startBed({ signInAt: ({ id }) => `https://parley.test/api/connections/${id}/authorize` });
  gateway = await startGateway({ connections: bed.gateway, toolsets: [own] });
  to = { port: gateway.port, key: gateway.ownerKey };
  const { organizationId } = gateway.owner;
  bed.give(
    organizationId,
    served('conn_1', {
      organizationId,
      title: 'Tickets',
      tools: [
        servedTool('work', { inputSchema }),
        servedTool('look', { inputSchema, ...read }),
        servedTool('count', { outputSchema }),
        servedTool('new one', {}, 'held'),
      ],
    }),
    served('conn_off', { organizationId, status: 'inactive' }),
  );
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
});

beforeEach(() => {
  bed.gateway.isolation.reset('conn_1');
  bed.sent.length = 0;
});

function plain(tool: string, args: unknown = {}, more: { path?: string; key?: string } = {}) {
  const { path = '/mcp/conn_1', key = to.key } = more;
  return send({
    port: to.port,
    key,
    path: `${path}/call-tool/${tool}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
}

const mcp = async (tool: string, args: Record<string, unknown> = {}) =>
  (await sendModern({ ...to, path: '/mcp/conn_1' }, modernCall(tool, args))).json;

const fails =
  (
    kind: FaultKind,
    options?: ConstructorParameters<typeof UpstreamFault>[2],
    message = 'Why it failed.',
  ): Answering =>
  () => {
    throw new UpstreamFault(kind, message, options);
  };

interface Row {
  readonly cause: string;
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly answer?: Answering;
  readonly code: string;
  readonly status: number;
  readonly retryAfter?: string;
  readonly says?: string;
  readonly data?: object;
}

const UNKNOWN = { outcome: 'unknown' };
const ROWS: readonly Row[] = [
  { cause: 'bad arguments', args: { n: 'x' }, code: 'invalid', status: 400 },
  {
    cause: 'an upstream that is down',
    answer: fails('unreachable', { wasSent: false }),
    code: 'unavailable',
    status: 503,
    retryAfter: '5',
    data: { retryAfterMs: 5_000 },
  },
  {
    cause: 'a write without an answer in time',
    answer: fails('timeout'),
    code: 'timeout',
    status: 504,
    says: 'outcome is unknown',
    data: UNKNOWN,
  },
  {
    cause: 'a read without one',
    tool: 'look',
    answer: fails('timeout'),
    code: 'timeout',
    status: 504,
    says: 'Try again',
  },
  {
    cause: 'a write that was never sent',
    answer: fails('timeout', { wasSent: false }),
    code: 'timeout',
    status: 504,
    says: 'Try again',
  },
  {
    cause: '401',
    answer: fails('auth_required'),
    code: 'auth_required',
    status: 424,
    says: 'https://parley.test/api/connections/conn_1/authorize',
  },
  { cause: '403', answer: fails('forbidden'), code: 'forbidden', status: 403, says: 'by upstream' },
  {
    cause: '429',
    answer: fails('rate_limited', { retryAfterMs: 7_000 }),
    code: 'rate_limited',
    status: 429,
    retryAfter: '7',
    data: { retryAfterMs: 7_000 },
  },
  { cause: '5xx', answer: fails('broken'), code: 'unavailable', status: 502 },
  { cause: 'an answer that is none', answer: fails('invalid_result'), code: 'invalid_result', status: 502 },
  {
    cause: 'data that breaks its schema',
    tool: 'count',
    answer: () => text('x'),
    code: 'invalid_result',
    status: 502,
  },
  { cause: 'content that is none', answer: () => ({ content: 'x' }), code: 'invalid_result', status: 502 },
  {
    cause: 'a write that was cut off',
    answer: fails('dropped'),
    code: 'unavailable',
    status: 502,
    says: 'outcome is unknown',
    data: UNKNOWN,
  },
  {
    cause: 'an error of JSON-RPC',
    answer: fails('rpc', { rpc: { code: -32000, message: 'the disk is full, upstream-secret-1' } }),
    code: 'upstream_error',
    status: 502,
    says: 'error -32000: the disk is full, [secret]',
  },
  {
    cause: 'bad parameters by the word of the upstream',
    answer: fails('rpc', { rpc: { code: -32602, message: 'n is odd' } }),
    code: 'invalid',
    status: 400,
    says: 'n is odd',
  },
  {
    cause: 'a definition that nobody approved',
    tool: 'new one',
    code: 'quarantined',
    status: 409,
    says: 'approve',
  },
  {
    cause: 'what this server does not allow',
    answer: fails('not_allowed'),
    code: 'unavailable',
    status: 503,
  },
];

describe.each(ROWS)(
  'check 30: $cause',
  ({ tool = 'work', args = {}, answer, code, status, retryAfter, says = '', data = {} }) => {
    beforeEach(() => {
      bed.answer = answer ?? (() => text('done'));
    });

    test(`is ${code} over MCP`, async () => {
      const { result } = await mcp(tool, args);
      expect(result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': code } });
      if (Object.keys(data).length > 0) expect(result._meta['dev.parley/data']).toMatchObject(data);
      expect(result.content[0].text).toContain(says);
      if (answer !== undefined && code !== 'invalid_result')
        expect(result.content[0].text).toContain('Tickets');
      expect(JSON.stringify(result)).not.toContain('upstream-secret-1');
    });

    test(`is ${status} on the plain route`, async () => {
      const given = await plain(encodeURIComponent(tool), args);
      expect({ status: given.status, retryAfter: given.headers['retry-after'] }).toEqual({
        status,
        retryAfter,
      });
      expect(given.json.error).toMatchObject({ code });
      expect(given.json.error.message).toContain(says);
    });
  },
);

test('check 33: the breaker: five refused connections open it, and the next call fails without being sent', async () => {
  bed.answer = fails('unreachable', { wasSent: false });
  for (let count = 0; count < 5; count += 1) await plain('work');
  expect(bed.sent).toHaveLength(5);
  const given = await plain('work');
  expect(given).toMatchObject({
    status: 503,
    json: { error: { code: 'unavailable', data: { reason: 'breaker_open' } } },
  });
  expect(given.headers['retry-after']).toBe('10');
  expect(bed.sent).toHaveLength(5);
  bed.gateway.isolation.reset('conn_1');
  bed.answer = () => text('well again');
  expect(await plain('work')).toMatchObject({ status: 200 });
});

test('check 30: a connection that has all the calls it may have is 429, over MCP and on the plain route', async () => {
  const held = Promise.withResolvers<void>();
  bed.answer = async () => {
    await held.promise;
    return text('done');
  };
  // So many run, so many wait, and one is too many.
  const calls = Array.from({ length: 64 + 256 + 1 }, () => plain('work'));
  expect(await Promise.race(calls)).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
  expect((await mcp('work')).result).toMatchObject({
    isError: true,
    _meta: { 'dev.parley/code': 'rate_limited' },
  });
  expect(bed.sent).toHaveLength(64);
  held.resolve();
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(64 + 256);
});

test('check 30: a question that nobody can be asked is declined: 403 on the plain route', async () => {
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
  bed.answer = () => ({
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create', params } },
    requestState: 'of its own',
  });
  expect(await plain('work')).toMatchObject({ status: 403, json: { error: { code: 'declined' } } });
  expect(bed.sent).toHaveLength(1);
});

describe('the plain route', () => {
  beforeEach(() => {
    bed.answer = () => text('done');
  });

  test('answers with the data of a result, else with its content', async () => {
    expect((await plain('work')).json).toEqual(text('done'));
    bed.answer = () => ({ ...text('{"n":1}'), structuredContent: { n: 1 } });
    expect((await plain('count')).json).toEqual({ n: 1 });
    expect((await plain('add_one', { n: 1 }, { path: '/mcp/own' })).json).toEqual({ n: 2 });
    expect((await plain('add_one', { n: 1 }, { path: '/mcp' })).json).toEqual({ n: 2 });
  });

  test("check 30: a tool's own failure is 422, whatever code it claims to have", async () => {
    bed.answer = () => ({ ...text('no'), isError: true, _meta: { 'dev.parley/code': 'rate_limited' } });
    expect(await plain('work')).toMatchObject({ status: 422, json: text('no') });
  });

  test('check 29: unknown, hidden and foreign things are the same 404', async () => {
    const { text: hidden } = await gateway.key({ own: ['add_one'] });
    const { text: foreign } = await gateway.stranger('other');
    const answers = await Promise.all([
      plain('nothing'),
      plain('work', {}, { key: hidden }),
      plain('work%20'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(answers[1]?.json).toEqual({ error: { code: 'not_found', message: 'Unknown tool: work' } });
    const urls = await Promise.all([
      plain('work', {}, { path: '/mcp/conn_nobody' }),
      plain('work', {}, { key: foreign }),
      plain('work/x'),
      plain('%E0%A4%A'),
      plain(''),
    ]);
    for (const { status, json } of urls)
      expect({ status, json }).toEqual({
        status: 404,
        json: {
          jsonrpc: '2.0',
          error: { code: -32601, message: 'Nothing is served at this URL.' },
          id: null,
        },
      });
    expect(bed.sent).toEqual([]);
  });

  test('a connection that is switched off is 503, here and over MCP', async () => {
    expect((await plain('work', {}, { path: '/mcp/conn_off' })).status).toBe(503);
    expect((await sendModern({ ...to, path: '/mcp/conn_off' }, modernCall('work', {}))).status).toBe(503);
  });

  test.each([
    ['no key', { key: undefined }, 401],
    ['another method', { method: 'GET', body: undefined }, 405],
    ['no JSON', { body: '{' }, 400],
    ['no object', { body: '[]' }, 400],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('refuses %s', async (_name, changes, status) => {
    const sending = {
      ...to,
      path: '/mcp/conn_1/call-tool/work',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      ...changes,
    };
    expect((await send(sending)).status).toBe(status);
    expect(bed.sent).toEqual([]);
  });

  test('streams progress and the result to who asks for it', async () => {
    bed.answer = async ({ onProgress }) => {
      onProgress?.(1, 2, 'half');
      onProgress?.(1, 2, 'again');
      return text('done');
    };
    const stream = await openStream({
      ...to,
      path: '/mcp/conn_1/call-tool/work',
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{}',
    });
    expect(stream.status).toBe(200);
    expect(await stream.next()).toEqual({ progress: 1, total: 2, message: 'half' });
    expect(await stream.next()).toEqual({ status: 200, body: text('done') });
    expect(await stream.next()).toBeUndefined();
    bed.answer = fails('broken');
    const failing = await openStream({
      ...to,
      path: '/mcp/conn_1/call-tool/work',
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{}',
    });
    expect(await failing.next()).toMatchObject({ status: 502, body: { error: { code: 'unavailable' } } });
  });

  test('check 28: a client that leaves cancels the call, and forged headers say nothing about who calls', async () => {
    const signals: AbortSignal[] = [];
    bed.answer = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const req = open({
      ...to,
      path: '/mcp/conn_1/call-tool/work',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-parley-user': 'somebody',
        'x-org-id': 'another',
        'x-caller-id': 'another',
        'x-parley-client': 'a label',
      },
      body: '{}',
    });
    req.on('error', () => undefined);
    await eventually(() => expect(signals).toHaveLength(1));
    req.destroy();
    await eventually(() => expect(signals[0]?.aborted).toBe(true));
    await eventually(async () =>
      expect((await gateway.records()).at(-1)).toMatchObject({
        callerId: gateway.owner.id,
        outcome: 'cancelled',
        client: 'a label',
        era: 'rest',
        toolset: 'conn_1',
      }),
    );
  });
});
