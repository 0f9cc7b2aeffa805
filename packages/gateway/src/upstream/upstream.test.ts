/** What the client of upstream servers promises, against servers of every kind and of none. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpstreamTarget } from '@parley/connections';
import { createEgress } from '@parley/kit/egress';
import { eventually } from '@parley/test-support/eventually';
import { listening } from '@parley/test-support/listening';
import type { McpUpstream, UpstreamScript } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { serveForTest } from '@parley/test-support/scripted-server';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createUpstream } from './upstream.ts';

const egress = createEgress({ allow: ['127.0.0.1'] });
const folder = mkdtempSync(join(tmpdir(), 'parley-upstream-'));
const faults: unknown[] = [];
const options = {
  egress,
  info: { name: 'parley', version: '0.0.0' },
  onFault: (error: unknown) => faults.push(error),
};
const environment = { PATH: '/usr/bin:/bin' };
const programs = { environment, folder, roots: [folder] };
const upstream = createUpstream({ ...options, programs });

afterAll(async () => {
  await upstream.close();
  await egress.close();
  rmSync(folder, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const target = (url: string, changes: Partial<UpstreamTarget> = {}): UpstreamTarget => ({
  id: 'conn_test',
  organizationId: 'org_test',
  secrets: [],
  type: 'HTTP',
  url,
  token: null,
  headers: {},
  program: null,
  principal: '',
  allow: [],
  era: null,
  maxResultBytes: 10 * 1024 * 1024,
  ...changes,
});

const program = (code: string, env: Record<string, string> = {}): UpstreamTarget => ({
  ...target(''),
  type: 'STDIO',
  url: null,
  program: { command: process.execPath, args: ['-e', code], cwd: null, env },
});

async function running(script: UpstreamScript): Promise<McpUpstream> {
  const server = await startUpstream(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const tools = ['ALPHA', 'BETA'].map(plainTool);

describe('servers', () => {
  test.each([
    ['2026-07-28', '2026', 'HTTP'],
    ['2025', '2025', 'HTTP'],
    ['HTTP with SSE', 'sse', 'SSE'],
  ] as const)('of %s are tested and listed', async (_name, era, type) => {
    const server = await running({ era, tools });
    const at = target(server.url, { type });
    expect(await upstream.test(at)).toEqual({ ok: true });
    expect(await upstream.discover(at)).toMatchObject({ ok: true, tools });
    expect(await upstream.lists(at, 'ALPHA')).toBe(true);
    expect(await upstream.lists(at, 'OMEGA')).toBe(false);
  });

  test('get the token and the headers of the connection, which win', async () => {
    const server = await running({ era: '2026', tools, authorization: 'Bearer t0ken' });
    expect(await upstream.test(target(server.url))).toMatchObject({ ok: false, status: 'auth_required' });
    expect(await upstream.test(target(server.url, { token: 't0ken' }))).toEqual({ ok: true });
    const headers = { Authorization: 'Bearer t0ken', 'X-Team': 'red' };
    expect(await upstream.test(target(server.url, { token: 'other', headers }))).toEqual({ ok: true });
    expect(server.seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer t0ken', 'x-team': 'red' });
  });

  test('with many pages are listed whole, and bad definitions are left out one by one', async () => {
    const many = Array.from({ length: 1200 }, (_each, index) => plainTool(`T${index}`));
    let deep: unknown = {};
    for (let depth = 0; depth < 200; depth += 1) deep = { deep };
    const bad = [
      { name: 'NO_SCHEMA' },
      { name: '', inputSchema: { type: 'object' } },
      { name: 'LIST', inputSchema: { type: 'array' } },
      { name: 'DEEP', inputSchema: { type: 'object', deep } },
      { no: 'name' },
      { ...plainTool('T5'), description: 'The second of its name.' },
    ];
    const server = await running({ era: '2025', tools: [...bad.slice(0, 5), ...many, ...bad.slice(5)] });
    const found = await upstream.discover(target(server.url));
    expect(found).toMatchObject({ ok: true, tools: many });
  });
});

describe('what is no MCP server', () => {
  const answering = (status: number, body = '', headers = {}) =>
    serveForTest((_request, response) => response.writeHead(status, headers).end(body));

  test.each([
    [404, 'invalid_protocol', '404'],
    [401, 'auth_required', '401'],
    [403, 'auth_required', '403'],
    [503, 'unreachable', '503'],
    [302, 'invalid_protocol', 'final address'],
    [200, 'invalid_protocol', 'MCP'],
  ])('answers %i', async (status, expected, words) => {
    const canary = 's3cret-canary';
    const server = await answering(status, `<p>${canary}</p>`, {
      location: `/${canary}`,
      'content-type': 'text/html',
    });
    for (const type of ['HTTP', 'SSE'] as const) {
      const outcome = await upstream.test(target(`${server.origin}/${canary}`, { type, token: canary }));
      expect(outcome, type).toMatchObject({ ok: false, status: expected });
      expect(JSON.stringify(outcome)).not.toContain(canary);
      if (status !== 200) expect(JSON.stringify(outcome)).toContain(words);
    }
  });

  test('is a dead port, an address that is not allowed, or none', async () => {
    const gone = await listening(createServer());
    await gone[Symbol.asyncDispose]();
    expect(await upstream.test(target(gone.url))).toMatchObject({ status: 'unreachable' });
    const guarded = createEgress();
    onTestFinished(() => guarded.close());
    const elsewhere = createUpstream({ ...options, egress: guarded });
    expect(await elsewhere.test(target(gone.url))).toMatchObject({
      status: 'unreachable',
      message: expect.stringContaining('not allowed') as unknown,
    });
    expect(await upstream.test(target('', { url: null }))).toMatchObject({ status: 'invalid_protocol' });
  });

  test('sends more than it may', async () => {
    const big = { ...plainTool('BIG'), _meta: { text: 'x'.repeat(11 * 1024 * 1024) } };
    const lists: [McpUpstream['script']['tools'], string][] = [
      [[big], '4 MiB'],
      [Array.from({ length: 5001 }, (_each, index) => plainTool(`T${index}`)), '5000 items'],
    ];
    for (const [listed, words] of lists) {
      const server = await running({ era: '2026', tools: listed });
      const at = target(server.url, { maxResultBytes: 4 * 1024 * 1024 });
      expect(await upstream.discover(at)).toMatchObject({
        status: 'invalid_protocol',
        message: expect.stringContaining(words) as unknown,
      });
    }
  });

  test('lists without an end', async () => {
    const fault: UpstreamScript['fault'] = ({ body }, response) => {
      if (!body.includes('tools/list')) return false;
      const { id } = JSON.parse(body) as { id: number };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [], nextCursor: 'again' } }));
      return true;
    };
    const server = await running({ era: '2025', tools, fault });
    expect(await upstream.discover(target(server.url))).toMatchObject({
      status: 'invalid_protocol',
      message: expect.stringContaining('same cursor twice') as unknown,
    });
  });

  test('hangs, and is given up after its time', async () => {
    const hanging = await serveForTest(() => undefined);
    const hasty = createUpstream({ ...options, answerMs: { HTTP: 300, SSE: 300, STDIO: 300, OPENAPI: 300 } });
    for (const type of ['HTTP', 'SSE'] as const)
      expect(await hasty.test(target(hanging.origin, { type })), type).toMatchObject({ status: 'timeout' });
    const silent = createUpstream({
      ...options,
      programs,
      answerMs: { HTTP: 300, SSE: 300, STDIO: 300, OPENAPI: 300 },
    });
    expect(await silent.test(program('setInterval(() => {}, 1000)'))).toMatchObject({ status: 'timeout' });
    await silent.close();
  });
});

describe('programs', () => {
  const server = (answers: string) => `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      ${answers}
    });`;
  const legacy = `
    if (method === 'initialize')
      answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
    else if (method === 'tools/list')
      answer({ tools: [{ name: Object.keys(process.env).sort().join(), inputSchema: { type: 'object' } }] });
    else if (id !== undefined)
      console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Unknown method' } }));`;

  test('get the variables of the connection and a few of the machine, and none of the server', async () => {
    const strict = `if (method === 'server/discover') process.exit(1); ${legacy}`;
    const found = await upstream.discover(program(server(strict), { MINE: '1' }));
    expect(found).toMatchObject({ ok: true, tools: [{ name: 'MINE,PATH' }] });
  }, 20_000);

  test('that die, talk nonsense or are not there are unreachable, and leave no process', async () => {
    const pidFile = join(folder, 'pid');
    const note = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
    const dying = await upstream.test(program(`${note} process.exit(3)`));
    expect(dying).toMatchObject({ ok: false, status: 'unreachable' });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    const missing = {
      ...program(''),
      program: { command: '/no/such/program', args: [], cwd: null, env: {} },
    };
    expect(await upstream.test(missing)).toMatchObject({ ok: false, status: 'unreachable' });
    const outside = { ...program(''), program: { command: 'true', args: [], cwd: '/', env: {} } };
    expect(await upstream.test(outside)).toMatchObject({
      message: expect.stringContaining('folder') as unknown,
    });
  }, 20_000);

  test('end with whoever asked them, and so does what they started', async () => {
    const pidFile = join(folder, 'grandchild');
    const forking = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      ${server(legacy)}
      process.stdin.on('end', () => process.exit(0));`;
    const own = createUpstream({ ...options, programs });
    expect(await own.test(program(forking))).toEqual({ ok: true });
    await own.close();
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  }, 20_000);

  test('are not started where nobody allowed it', async () => {
    const closed = createUpstream(options);
    const note = join(folder, 'started');
    const writing = program(`require('node:fs').writeFileSync(${JSON.stringify(note)}, '')`);
    expect(await closed.test(writing)).toMatchObject({ ok: false, status: 'disabled' });
    expect(await closed.discover(writing)).toMatchObject({ ok: false, status: 'disabled' });
    await closed.lists(writing, 'X');
    expect(existsSync(note)).toBe(false);
    await closed.close();
  });
});
