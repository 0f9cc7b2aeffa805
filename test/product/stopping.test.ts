/** Stopping: running calls are answered, records are kept, exit codes tell how it went. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { openStore } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool, message, post, stdioClient } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

const PROGRAM = join(import.meta.dirname, 'notes-program.ts');

beforeAll(ensureBuilt);

/** Resolves once the server takes no new connections, which is after it got the signal. */
async function untilClosed(server: Server): Promise<void> {
  const knock = () => fetch(`${server.url}/health`, { headers: { connection: 'close' } });
  await eventually(() => expect(knock()).rejects.toThrow('fetch failed'));
}

/** Adds a note from a process that is ready before the stop: starting one may take longer than a stop waits. */
async function noteAdder(
  folder: string,
): Promise<{ add: (text: string) => Promise<void>; end: () => Promise<unknown> }> {
  const running = spawnParley(['mcp', '--data', folder], { program: PROGRAM });
  const client = stdioClient(running);
  await client.tools();
  return {
    async add(text) {
      const { result } = await client.call('note_add', { text });
      expect(result?.structuredContent).toMatchObject({ text });
    },
    end() {
      running.child.stdin.end();
      return running.ended;
    },
  };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s lets a running call finish and exits with 0',
  async (signal) => {
    using folder = scratchFolder();
    const server = await startParley(folder.path, { program: PROGRAM });
    const other = await noteAdder(folder.path);
    const waiting = callTool(server, 'note_wait');
    await server.until('stderr', /waiting for a note/);
    server.child.kill(signal);
    await untilClosed(server);
    await other.add('at last');
    expect((await waiting).body.result?.structuredContent).toMatchObject({ text: 'at last' });
    expect((await server.ended).code).toBe(0);
    await other.end();
  },
);

test('a timer that a tool left behind does not keep a stopped server, over HTTP or stdio', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { program: PROGRAM });
  expect((await callTool(server, 'note_leak')).status).toBe(200);
  expect((await server.stop()).code).toBe(0);
  const call = message(1, 'tools/call', { name: 'note_leak', arguments: {} });
  const stdio = await runParley(['mcp', '--data', folder.path], {
    program: PROGRAM,
    input: `${JSON.stringify(call)}\n`,
  });
  expect([stdio.code, stdio.stdout]).toEqual([0, expect.stringContaining('"id":1')]);
});

test('tools that ignore their signal delay a stop by its grace and no more, and the log says which', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { program: PROGRAM });
  const outcome = (name: string) =>
    callTool(server, name).then(
      () => 'answered',
      () => 'cut',
    );
  const calls = [outcome('note_stubborn'), outcome('note_deaf')];
  await server.until('stderr', /a deaf tool runs/);
  await server.until('stderr', /a stubborn tool runs/);
  // A client that opened a connection ahead of its need does not count.
  const silent = createConnection({ host: '127.0.0.1', port: Number(new URL(server.mcp).port) });
  silent.on('error', () => undefined);
  await once(silent, 'connect');
  const { code, stderr } = await server.stop();
  silent.destroy();
  expect(code).toBe(0);
  expect(stderr).toMatch(/"names":\["note_stubborn"\].*calls cut off/);
  expect(stderr).not.toContain('took too long');
  expect((await Promise.all(calls))[0]).toBe('cut');
});

/** A call that waits for a note, on each of the ways that do not answer from the hot path. */
const SLOW_WAYS: Record<string, (server: Server) => Promise<Response>> = {
  'a call with progress': (server) => {
    const body = message(1, 'tools/call', { name: 'note_wait', arguments: {} }, { progressToken: 'p' });
    return send(server, body, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'note_wait',
    });
  },
  'a call in a 2025 session': async (server) => {
    const clientInfo = { name: 'product-test', version: '1.0.0' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const opened = await send(server, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await opened.text();
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-06-18',
    };
    await send(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    return send(
      server,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'note_wait', arguments: {} } },
      session,
    );
  },
};

function send(server: Server, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.mcp, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}

test.each(Object.keys(SLOW_WAYS))('%s is answered too before the server ends', async (way) => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { program: PROGRAM });
  const other = await noteAdder(folder.path);
  const waiting = SLOW_WAYS[way]!(server).then((response) => response.text());
  await server.until('stderr', /waiting for a note/);
  server.child.kill('SIGTERM');
  await untilClosed(server);
  await other.add('at last');
  expect(await waiting).toContain('at last');
  expect((await server.ended).code).toBe(0);
  await other.end();
});

test('a request whose body never ends does not keep a stopped server', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path);
  const { hostname, port } = new URL(server.mcp);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const half = `POST /mcp HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${server.key}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nexpect: 100-continue\r\ncontent-length: 1000\r\n\r\n{`;
  socket.write(half);
  // The server has the request once it asks for the body.
  expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  socket.destroy();
});

test('a second signal does not wait for a running call and exits with 1', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { program: PROGRAM });
  const waiting = callTool(server, 'note_wait').then(
    () => 'answered',
    () => 'cut',
  );
  await server.until('stderr', /waiting for a note/);
  server.child.kill('SIGTERM');
  await untilClosed(server);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(1);
  expect(await waiting).toBe('cut');
});

test('every answered call and every denial is on record after the stop', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path);
  const calls = Array.from({ length: 40 }, () => callTool(server, 'parley_whoami'));
  const denials = Array.from({ length: 3 }, () => callTool(server, 'no_such_tool'));
  const [first] = await Promise.all([...calls, ...denials]);
  const { organization } = first!.body.result!.structuredContent as { organization: { id: string } };
  expect((await server.stop()).code).toBe(0);
  const store = await openStore({ dataDir: folder.path });
  const found = await store.records.list({ organizationId: organization.id, limit: 100 });
  await store.close();
  expect(found.filter(({ outcome }) => outcome === 'ok')).toHaveLength(40);
  expect(found.filter(({ outcome, code }) => outcome === 'denied' && code === 'unknown')).toHaveLength(3);
  expect(found).toHaveLength(43);
});

test('parley mcp answers what was asked and exits with 0 when stdin ends', async () => {
  using folder = scratchFolder();
  const running = spawnParley(['mcp', '--data', folder.path]);
  const answer = stdioClient(running).call('parley_whoami');
  running.child.stdin.end();
  expect((await answer).result?.structuredContent).toMatchObject({ source: 'stdio', roles: ['owner'] });
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(1);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'parley mcp exits with 0 on %s and keeps its records',
  async (signal) => {
    using folder = scratchFolder();
    const running = spawnParley(['mcp', '--data', folder.path]);
    await stdioClient(running).call('parley_whoami');
    running.child.kill(signal);
    const { code, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const store = await openStore({ dataDir: folder.path });
    expect(await store.records.count()).toBe(1);
    await store.close();
  },
);

test('a stopped server starts again on the same folder with the same key', async () => {
  using folder = scratchFolder();
  const first = await startParley(folder.path);
  await first.stop();
  await using second = await startParley(folder.path);
  expect(second.key).toBe(first.key);
  expect((await post(second.mcp, first.key, message(1, 'tools/list'))).status).toBe(200);
});
