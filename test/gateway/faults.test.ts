/** Upstreams that fail in every way of the list, and code that takes all it can: who gets which answer, and who notices nothing. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { eventually } from '@parley/test-support/eventually';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { send } from '@parley/test-support/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CALL_FAULTS, dripping } from './fixtures/faults.ts';
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

/** As many as one connection may have under way at once. */
const PLACES = 64;
/** All places are taken before the first call is over, on a busy machine too. */
const LONGER_LIMIT = { metadata: { gateway: { callTimeoutMs: 10_000 } } };

test.each(ERAS)(
  'check 4: upstreams of %s that drip hold no place, no connection and nobody else, however many do',
  async (era) => {
    const upstream = faulty.get(era)!;
    upstream.script.fault = undefined;
    const id = await server.connect('Slow', upstream.url, LONGER_LIMIT);
    const { fault, open } = dripping();
    upstream.script.fault = fault;
    const dripped = Array.from({ length: PLACES }, () => server.call(id, 'work'));
    await eventually(() => expect(open.size).toBe(PLACES));
    // All places of the connection are taken; others have theirs.
    expect(await server.names(id)).toEqual(['work']);
    const around = Array.from({ length: AROUND }, () => server.call(steady.id, 'work'));
    for (const { json } of await Promise.all(around)) expect(json.result.content[0].text).toBe('done');
    const ends = await Promise.all(dripped);
    expect(new Set(ends.map(({ json }) => json.result._meta['dev.parley/code']))).toEqual(
      new Set(['timeout']),
    );
    await eventually(() => expect(open.size).toBe(0));
    upstream.script.fault = undefined;
    expect((await server.rest(`POST connections/${id}/reset`)).status).toBe(204);
    const again = await Promise.all(Array.from({ length: PLACES }, () => server.call(id, 'work')));
    expect(new Set(again.map(({ json }) => json.result.content[0].text))).toEqual(new Set(['done']));
  },
);

test('check 4: SSE that drips is ended by the limit of the call, and the next call works', async () => {
  await using upstream = await startUpstream({ era: 'sse', tools: [plainTool('work')] });
  const streams: ServerResponse[] = [];
  let timer: NodeJS.Timeout | undefined;
  upstream.script.fault = ({ method, body }, response) => {
    if (method === 'GET') streams.push(response);
    if (!body.includes('tools/call') || timer !== undefined) return false;
    response.writeHead(202).end();
    // A comment of the stream that comes a byte at a time, and goes on until the call is over.
    timer = setInterval(() => streams.at(-1)?.write(':'), 100);
    return true;
  };
  const id = await server.connect('Old', upstream.url, { connection_type: 'SSE', ...LIMIT });
  const { result } = (await server.call(id, 'work')).json;
  expect(result._meta['dev.parley/code']).toBe('timeout');
  expect(timer).toBeDefined();
  clearInterval(timer);
  streams.at(-1)?.write('\n\n');
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

const REFUSED = [400, 404, 405, 408, 409, 413, 415, 422, 451];

describe.each(['2026', '2025', 'sse'] as const)('an upstream of %s', (era) => {
  test.each([
    ...REFUSED.map((status) => ({ status, opens: false })),
    { status: 500, opens: true },
    { status: 503, opens: true },
  ])('that answers $status six times: its breaker has opened: $opens', async ({ status, opens }) => {
    await using upstream = await startUpstream({ era, tools: [plainTool('work')] });
    const type = era === 'sse' ? 'SSE' : 'HTTP';
    const id = await server.connect('Refusing', upstream.url, { connection_type: type, ...LIMIT });
    let isRefused = true;
    upstream.script.fault = ({ body }, response) => {
      if (!isRefused || !body.includes('tools/call')) return false;
      response.writeHead(status).end('no');
      return true;
    };
    for (let count = 0; count < 6; count += 1)
      expect((await server.call(id, 'work')).json.result.isError).toBe(true);
    isRefused = false;
    const { result } = (await server.call(id, 'work')).json;
    expect(result._meta?.['dev.parley/data']?.reason).toBe(opens ? 'breaker_open' : undefined);
    expect(result.isError === true).toBe(opens);
  });
});

const MIB = 2 ** 20;
const CUT = { type: 'warn', content: '[console output was cut]' };
/** Copies of all but the beginning of a text: the engine shares what it can. */
const GIBIBYTE =
  'const all = [], text = "x".repeat(2 ** 20); for (let n = 0; n < 1024; n += 1) all.push(text.slice(n % 9 + 1));';
const HOSTILE: readonly {
  readonly name: string;
  readonly code: string;
  /** Only where the time is its limit. */
  readonly timeoutMs?: number;
  readonly ends: object;
  /** How often `/health` has answered by then, at least: not once, were the server busy with it. */
  readonly answers: number;
}[] = [
  {
    name: 'an endless loop',
    code: 'for (;;);',
    timeoutMs: 500,
    ends: { error: { code: 'timeout' } },
    answers: 3,
  },
  {
    name: 'an endless chain of promises',
    code: 'const again = () => Promise.resolve().then(again); await again();',
    timeoutMs: 500,
    ends: { error: { code: 'timeout' } },
    answers: 3,
  },
  {
    name: '1 GiB in one string',
    code: 'let text = "x"; while (text.length < 2 ** 30) text += text; return text.length;',
    ends: { error: { message: expect.stringMatching(/too long|memory/) as unknown } },
    answers: 1,
  },
  {
    name: '1 GiB in many strings',
    code: `${GIBIBYTE} return 1;`,
    ends: { error: { code: 'out_of_memory' } },
    answers: 1,
  },
  {
    name: 'deep recursion',
    code: 'const down = () => 1 + down(); return down();',
    ends: { error: { code: 'thrown', message: expect.stringContaining('stack overflow') as unknown } },
    answers: 1,
  },
  {
    name: '1 GiB of console output',
    code: 'const line = "y".repeat(2 ** 20); for (let n = 0; n < 1024; n += 1) console.log(line); return 1;',
    ends: { returnValue: 1, consoleLogs: expect.arrayContaining([CUT]) as unknown },
    answers: 1,
  },
];

describe('check 18: code that takes all it can', () => {
  let place: string;

  beforeAll(async () => {
    const { item } = await server.manage('COLLECTION_VIRTUAL_MCP_CREATE', {
      data: { title: 'Code', connections: [{ connection_id: steady.id }] },
    });
    place = `virtual-mcp/${item.id}?mode=code_execution`;
  });

  async function run(text: string, timeoutMs = 60_000) {
    const code = `export default async (tools) => { ${text} }`;
    return (await server.call(place, 'GATEWAY_RUN_CODE', { code, timeoutMs })).json.result.structuredContent;
  }

  /** Asks for `/health` again and again until the work is done. */
  async function healthyDuring<T>(work: Promise<T>): Promise<{ ended: T; answers: number }> {
    const over = new AbortController();
    let answers = 0;
    const asking = async () => {
      while (!over.signal.aborted) {
        expect((await send({ port: server.port, method: 'GET', path: '/health' })).status).toBe(200);
        answers += 1;
      }
    };
    const [ended] = await Promise.all([work.finally(() => over.abort()), asking()]);
    return { ended, answers };
  }

  test.each(HOSTILE)('$name ends in its limit, and the server is well throughout', async (row) => {
    const { ended, answers } = await healthyDuring(run(row.code, row.timeoutMs));
    expect(ended).toMatchObject(row.ends);
    expect(answers).toBeGreaterThanOrEqual(row.answers);
    const written = ended.consoleLogs.map(({ content }: { content: string }) => content.length);
    expect(written.length).toBeLessThanOrEqual(201);
    expect(written.reduce((sum: number, length: number) => sum + length, 0)).toBeLessThan(65 * 1024);
    // The next run notices nothing.
    expect(await run('return await tools.work({})')).toEqual({ returnValue: 'done', consoleLogs: [] });
  });

  test('the memory of all that comes back', async () => {
    const rss = () => process.memoryUsage.rss() / MIB;
    const before = rss();
    // Were they left, there would be nine heaps of 32 MiB; what threads and collectors keep is far less.
    for (let turn = 0; turn < 9; turn += 1)
      expect(await run(GIBIBYTE)).toMatchObject({ error: { code: 'out_of_memory' } });
    await eventually(() => expect(rss() - before).toBeLessThan(192));
  });
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
