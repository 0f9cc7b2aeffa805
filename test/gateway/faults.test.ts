/** Upstreams that fail in every way of the list, each beside one that works: who gets which answer, and who notices nothing. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { eventually } from '@parley/test-support/eventually';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CALL_FAULTS } from './fixtures/faults.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

type FaultName = keyof typeof CALL_FAULTS;

const ERAS = ['2026', '2025'] as const;
const LIMIT = { metadata: { gateway: { callTimeoutMs: 1_000 } } };
const AROUND = 8;

let server: GatewayServer;
let steady: { upstream: McpUpstream; id: string };
const faulty = new Map<string, McpUpstream>();

beforeAll(async () => {
  server = await startGatewayServer();
  const upstream = await startUpstream({ era: '2026', tools: [plainTool('work')] });
  steady = { upstream, id: await server.connect('Steady', upstream.url) };
  for (const era of ERAS) {
    faulty.set(era, await startUpstream({ era, tools: [plainTool('work')] }));
  }
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await steady.upstream[Symbol.asyncDispose]();
  for (const upstream of faulty.values()) await upstream[Symbol.asyncDispose]();
});

interface Row {
  readonly fault: FaultName;
  readonly code: string;
  readonly status: number;
  readonly retryAfter?: string;
  readonly data?: object;
  /** What the answer says, and what it does not. */
  readonly says?: string;
  readonly hides?: string;
  readonly check?: string;
}

const UNKNOWN = { outcome: 'unknown' };
const ROWS: readonly Row[] = [
  {
    check: 'check 3: ',
    fault: 'hangs',
    code: 'timeout',
    status: 504,
    data: UNKNOWN,
    says: 'outcome is unknown',
  },
  { check: 'check 4: ', fault: 'drips', code: 'timeout', status: 504, data: UNKNOWN },
  {
    check: 'check 5: ',
    fault: 'drops',
    code: 'unavailable',
    status: 502,
    data: UNKNOWN,
    says: 'outcome is unknown',
  },
  { fault: 'hangs up', code: 'unavailable', status: 502, data: UNKNOWN },
  { fault: 'answers another id', code: 'invalid_result', status: 502, hides: 'of somebody else' },
  { fault: 'answers {}', code: 'invalid_result', status: 502 },
  { fault: 'answers no JSON', code: 'invalid_result', status: 502 },
  { fault: 'answers 50 MB', code: 'invalid_result', status: 502 },
  { fault: 'redirects to a private address', code: 'unavailable', status: 503, hides: '169.254' },
  { fault: 'answers 401', code: 'auth_required', status: 424 },
  { fault: 'answers 403', code: 'forbidden', status: 403, says: 'by upstream' },
  { fault: 'answers 429', code: 'rate_limited', status: 429, retryAfter: '7', data: { retryAfterMs: 7_000 } },
  { fault: 'answers 500', code: 'unavailable', status: 502, hides: 'secret stack trace' },
  { fault: 'refuses with an error', code: 'upstream_error', status: 502, says: 'Disk full' },
  { fault: 'refuses the arguments', code: 'invalid', status: 400, says: 'n is odd' },
];

describe.each(ERAS)('check 30: an upstream of %s', (era) => {
  let upstream: McpUpstream;
  let id: string;

  // A connection for each row: its breaker has counted nothing.
  beforeEach(async () => {
    upstream = faulty.get(era)!;
    upstream.script.fault = undefined;
    id = await server.connect('Faulty', upstream.url, LIMIT);
    expect((await server.call(id, 'work')).json.result.content[0].text).toBe('done');
  });

  test.each(ROWS.map((row) => ({ title: `${row.check ?? ''}it ${row.fault}`, ...row })))(
    '$title: $code, and $status on the plain route; others are answered meanwhile',
    async ({ fault, code, status, retryAfter, data = {}, says = '', hides = 'no such words' }) => {
      const before = upstream.seen.length;
      upstream.script.fault = CALL_FAULTS[fault];
      const failing = server.call(id, 'work');
      const around = await Promise.all(
        Array.from({ length: AROUND }, (_, n) => server.call(steady.id, 'work', { n })),
      );
      expect(around.map(({ json }) => json.result.content[0].text)).toEqual(Array(AROUND).fill('done'));
      const { result } = (await failing).json;
      expect(result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': code } });
      const words: string = result.content[0].text;
      expect(words).toContain(says);
      expect(words).not.toContain(hides);
      expect(words).not.toContain(upstream.host);
      if (Object.keys(data).length > 0) expect(result._meta['dev.parley/data']).toMatchObject(data);
      // What changes something is sent once, however it ended.
      expect(upstream.seen.slice(before).filter(({ body }) => body.includes('tools/call'))).toHaveLength(1);

      const plain = await server.plain(id, 'work');
      expect([plain.status, plain.headers['retry-after']]).toEqual([status, retryAfter]);
      expect(plain.json.error.code).toBe(code);
      expect(plain.text).not.toContain(hides);
    },
  );

  test('check 3: lists of all and of others come while it hangs, and its own from memory', async () => {
    upstream.script.fault = () => true;
    const failing = server.call(id, 'work');
    expect(await server.names(steady.id)).toEqual(['work']);
    expect(await server.names(id)).toEqual(['work']);
    const { json } = await server.ask(undefined, 'tools/list');
    expect(json.result.tools.length).toBeGreaterThan(2);
    expect((await failing).json.result._meta['dev.parley/code']).toBe('timeout');
  });
});

test('check 4: SSE that drips is ended by the limit of the call, and the next call works', async () => {
  await using upstream = await startUpstream({ era: 'sse', tools: [plainTool('work')] });
  const id = await server.connect('Old', upstream.url, { connection_type: 'SSE', ...LIMIT });
  expect((await server.call(id, 'work')).json.result.content[0].text).toBe('done');
  upstream.script.fault = ({ body }, response) => {
    if (!body.includes('tools/call')) return false;
    response.writeHead(202).end();
    return true;
  };
  expect((await server.call(id, 'work')).json.result._meta['dev.parley/code']).toBe('timeout');
  upstream.script.fault = undefined;
  expect((await server.call(id, 'work')).json.result.content[0].text).toBe('done');
});

test('check 33: five refused connections open the breaker, the next call is not sent, and it closes by itself', async () => {
  const gone = await startUpstream({ era: '2026', tools: [plainTool('work')] });
  const id = await server.connect('Gone', gone.url, LIMIT);
  await gone[Symbol.asyncDispose]();
  for (let count = 0; count < 5; count += 1) {
    const { result } = (await server.call(id, 'work')).json;
    expect(result._meta).toMatchObject({ 'dev.parley/code': 'unavailable' });
    expect(result._meta['dev.parley/data'].reason).not.toBe('breaker_open');
  }
  // Somebody listens there again, and sees nothing while the breaker is open.
  const seen: string[] = [];
  await using _back = await listeningAt(gone.port, seen);
  const { result } = (await server.call(id, 'work')).json;
  expect(result._meta['dev.parley/data']).toMatchObject({ reason: 'breaker_open' });
  expect(result._meta['dev.parley/data'].retryAfterMs).toBeGreaterThan(0);
  expect(result._meta['dev.parley/data'].retryAfterMs).toBeLessThanOrEqual(10_000);
  expect(seen).toEqual([]);
  const plain = await server.plain(id, 'work');
  expect(plain.status).toBe(503);
  expect(Number(plain.headers['retry-after'])).toBeGreaterThan(0);
  expect((await server.call(steady.id, 'work')).json.result.isError).not.toBe(true);
  // After ten seconds one call tries, and it works.
  await eventually(
    async () => expect((await server.call(id, 'work')).json.result.content[0].text).toBe('back'),
    250,
  );
  expect((await server.call(id, 'work')).json.result.content[0].text).toBe('back');
});

async function listeningAt(port: number, seen: string[]): Promise<AsyncDisposable> {
  const back = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      seen.push(body);
      const { id } = JSON.parse(body) as { id: unknown };
      const result = { resultType: 'complete', content: [{ type: 'text', text: 'back' }] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  back.listen(port, '127.0.0.1');
  await once(back, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      back.closeAllConnections();
      back.close();
      await once(back, 'close');
    },
  };
}
