/** Programs behind connections: killed, stubborn, gone at once, and never started by whoever may not. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionTables } from '@parley/connections';
import { eventually } from '@parley/test-support/eventually';
import type { ProgramScript } from '@parley/test-support/mcp-program';
import { mcpProgram } from '@parley/test-support/mcp-program';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { running } from '../../packages/gateway/test/programs.ts';
import { ensureBuilt } from '../product/build.ts';
import { callTool } from '../product/mcp-messages.ts';
import { scratchFolder, startParley } from '../product/parley.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

let server: GatewayServer;

beforeAll(async () => {
  server = await startGatewayServer({ flags: ['--allow-stdio', '--allow-egress', '127.0.0.1'] });
});

afterAll(() => server[Symbol.asyncDispose]());

function program(script: ProgramScript) {
  const { command, args } = mcpProgram(script);
  return { title: 'Program', connection_type: 'STDIO', connection_headers: { command, args } };
}

async function started(data: object): Promise<string> {
  return (await server.manage('COLLECTION_CONNECTIONS_CREATE', { data })).item.id;
}

async function facts(id: string): Promise<{ pid: number; child: number }> {
  const { json } = await server.call(id, 'facts');
  return JSON.parse(json.result.content[0].text);
}

const gone = (...pids: number[]) => eventually(() => expect(pids.flatMap((pid) => running(pid))).toEqual([]));

test.each(['2026', '2025'] as const)(
  'check 6: a program of %s that is killed during a call: it is told at once, and the next call has a new one',
  async (era) => {
    const id = await started(program({ era }));
    const { pid } = await facts(id);
    const hanging = server.call(id, 'hang');
    // Arrived after the one that hangs: both are with the program by then.
    await server.call(id, 'echo');
    process.kill(pid, 'SIGKILL');
    expect((await hanging).json.result).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'unavailable', 'dev.parley/data': { outcome: 'unknown' } },
    });
    expect((await facts(id)).pid).not.toBe(pid);
    await gone(pid);
  },
);

test('check 7: a stubborn program and its child end with their connection', async () => {
  const id = await started(program({ era: '2026', isStubborn: true }));
  const { pid, child } = await facts(id);
  expect(running(pid)).toEqual(expect.arrayContaining([pid, child]));
  await server.manage('COLLECTION_CONNECTIONS_DELETE', { id });
  await gone(pid, child);
  expect((await server.call(id, 'facts')).status).toBe(404);
});

test('check 7: they end with a server that is killed, and the next one starts its own', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const args = ['--allow-stdio'];
  const first = await startParley(folder.path, { args });
  const { key } = first;
  const made = await callTool({ mcp: `${first.mcp}/self`, key }, 'COLLECTION_CONNECTIONS_CREATE', {
    data: program({ era: '2025', isStubborn: true }),
  });
  const item = made.body.result?.structuredContent?.['item'] as { id: string } | undefined;
  const id = item?.id ?? expect.fail(made.text);
  const factsOf = async (mcp: string) => {
    const { body, text } = await callTool({ mcp: `${mcp}/${id}`, key }, 'facts');
    expect(body.result?.isError, text).not.toBe(true);
    return JSON.parse(body.result?.content?.[0]?.text ?? '') as { pid: number; child: number };
  };
  const { pid, child } = await factsOf(first.mcp);
  await first.stop('SIGKILL');
  await gone(pid, child);
  await using second = await startParley(folder.path, { args });
  const next = await factsOf(second.mcp);
  expect(next.pid).not.toBe(pid);
  expect((await second.stop()).code).toBe(0);
  await gone(next.pid, next.child);
});

/** Lists the tools that a file names; nobody listens to it, so what it would tell of a change is lost with it. */
const LISTING = `
  const fs = require('node:fs');
  const [tools, pid] = process.argv.slice(1);
  fs.writeFileSync(pid, String(process.pid));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const inputSchema = { type: 'object' };
    const results = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'l', version: '1' } },
      'tools/list': { tools: fs.readFileSync(tools, 'utf8').split(' ').map((name) => ({ name, inputSchema })) },
    };
    const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no' } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });`;

test('what changes while an idle program is at an end is found by the next reading', async () => {
  const [tools, pidFile] = ['tools', 'pid'].map((name) => join(server.data, `listing-${name}`)) as [
    string,
    string,
  ];
  writeFileSync(tools, 'one');
  const id = await started({
    title: 'Listing',
    connection_type: 'STDIO',
    connection_headers: { command: process.execPath, args: ['-e', LISTING, tools, pidFile] },
    metadata: { gateway: { pinning: 'off' } },
  });
  expect(await server.names(id)).toEqual(['one']);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  // As it ends after five minutes without a call or anybody who listens.
  process.kill(pid, 'SIGTERM');
  await gone(pid);
  writeFileSync(tools, 'one two');
  expect(await server.names(id)).toEqual(['one']);
  const { store } = server.app.host;
  // As it is when the time of its next reading has come, which the change of another connection only brings forward.
  await store
    .db<ConnectionTables>()
    .updateTable('connection_refreshes')
    .set({ due_at: 0 })
    .where('connection_id', '=', id)
    .execute();
  const other = await started(program({ era: '2026' }));
  await eventually(async () => expect(await server.names(id)).toEqual(['one', 'two']));
  expect(Number(readFileSync(pidFile, 'utf8'))).not.toBe(pid);
  for (const each of [id, other]) await server.manage('COLLECTION_CONNECTIONS_DELETE', { id: each });
});

describe('check 9: who may not start programs', () => {
  const [create, update, probe] = [
    'COLLECTION_CONNECTIONS_CREATE',
    'COLLECTION_CONNECTIONS_UPDATE',
    'CONNECTION_TEST',
  ] as const;
  const TOOLS = [create, update, probe];
  const callers: readonly (readonly [who: string, key: () => Promise<string>])[] = [
    ['a member', () => server.keyOf('member')],
    ['a member whose role has the tools', () => server.keyOf('connector')],
    ['a key of the owner that is cut to the tools', () => server.keyOf('owner', { self: TOOLS })],
  ];
  let web: string;
  let own: string;

  beforeAll(async () => {
    await server.saveRole('connector', { self: TOOLS });
    const upstream = await startUpstream({ era: '2026', tools: [plainTool('work')] });
    web = await server.connect('Web', upstream.url);
    own = await started(program({ era: '2025' }));
    await server.manage('COLLECTION_CONNECTIONS_UPDATE', { id: own, data: { status: 'inactive' } });
    return () => upstream[Symbol.asyncDispose]();
  });

  /** A program that leaves a file as soon as it is started. */
  const marking = (marker: string) => ({
    command: process.execPath,
    args: ['-e', `fs.writeFileSync(${JSON.stringify(marker)}, '')`],
  });
  const stdio = (headers: object) => ({
    title: 'Program',
    connection_type: 'STDIO',
    connection_headers: headers,
  });

  test.each(callers)(
    '%s sends a command in every request there is, and nothing starts',
    async (who, make) => {
      const key = await make();
      const marker = join(server.data, 'started');
      const command = marking(marker);
      const rows: readonly [tool: string, args: Record<string, unknown>, code: string][] = [
        [create, { data: stdio(command) }, 'forbidden'],
        [create, { data: { ...stdio(command), connection_type: 'HTTP' } }, 'forbidden'],
        [create, { data: { ...stdio({}), ...command } }, 'invalid'],
        [update, { id: web, data: stdio(command) }, 'forbidden'],
        [update, { id: web, data: { connection_headers: command } }, 'forbidden'],
        [update, { id: web, data: command }, 'invalid'],
        [update, { id: own, data: { connection_headers: command } }, 'forbidden'],
        [update, { id: own, data: { connection_headers: command, status: 'active' } }, 'forbidden'],
        [probe, { id: web, ...command }, 'invalid'],
        [probe, { id: web, connection_headers: command }, 'invalid'],
        [probe, { id: own, ...command }, 'invalid'],
        [probe, { id: own }, 'forbidden'],
      ];
      const count = async () =>
        (await server.manage('COLLECTION_CONNECTIONS_LIST', { limit: 1 })).totalCount as number;
      const before = await count();
      for (const [tool, args, code] of rows) {
        const { json, text } = await server.attempt(tool, args, key);
        const what = `${tool} ${JSON.stringify(args)}: ${text}`;
        // Of a tool that somebody does not have nothing is told, not even that the input is wrong.
        if (who === 'a member') expect(json.error?.message, what).toBe(`Unknown tool: ${tool}`);
        else expect(json.result, what).toMatchObject({ isError: true, _meta: { 'dev.parley/code': code } });
      }
      for (const body of [
        { text: JSON.stringify({ mcpServers: { New: command } }) },
        { text: JSON.stringify({ mcpServers: { Web: command } }), replace: true },
      ]) {
        const { status, json, text } = await server.rest('POST connections/import', body, key);
        const reason: unknown = expect.stringContaining('Only owners and administrators');
        if (who === 'a member') expect(status, text).toBe(403);
        else expect(json.data.servers, text).toMatchObject([{ outcome: 'failed', id: null, reason }]);
      }
      // Nor do other routes take one.
      const refreshed = await server.rest(`POST connections/${web}/refresh`, command, key);
      expect(refreshed.status).toBeGreaterThanOrEqual(400);

      expect(await count()).toBe(before);
      const { item } = await server.manage('COLLECTION_CONNECTIONS_GET', { id: web });
      expect(item).toMatchObject({ title: 'Web', connection_type: 'HTTP' });
      expect((await server.call(web, 'work')).json.result.content[0].text).toBe('done');
      // By the time that a program of the owner has left its file, one that was started before it has, too.
      const allowed = join(server.data, `started after ${who}`);
      await started(stdio(marking(allowed)));
      expect([existsSync(allowed), existsSync(marker)]).toEqual([true, false]);
    },
  );
});

test.each([
  ['ends at once', { command: '/bin/sh', args: ['-c', 'exit 3'] }],
  ['is not there', { command: '/no/such/program', args: [] }],
])(
  'a program that %s is stored with its reason, is unavailable, and harms nobody',
  async (_name, headers) => {
    const good = await started(program({ era: '2026' }));
    const { item } = await server.manage('COLLECTION_CONNECTIONS_CREATE', {
      data: { title: 'Broken', connection_type: 'STDIO', connection_headers: headers },
    });
    expect(item).toMatchObject({ tools: null, catalog: { last_error: expect.any(String) as unknown } });
    const [{ json: listed }, answer] = await Promise.all([
      server.ask(item.id, 'tools/list'),
      server.call(good, 'echo', { a: 1 }),
    ]);
    expect(listed.result.tools).toEqual([]);
    expect(answer.json.result.content[0].text).toBe('{"a":1}');
  },
);
