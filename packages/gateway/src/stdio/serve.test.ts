/** MCP over stdio: both eras, broken lines, cancelling, lost rights, and an end that loses no answer. */
import { PassThrough } from 'node:stream';
import type { Listing } from '@parley/kit';
import { createEngine, defineOutsideTool, defineToolset, install, toolsetSource } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import { Mailbox } from '../../test/mailbox.ts';
import { LEGACY } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Message } from '@parley/test-support/wire';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import { serveStdio } from './serve.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

beforeEach(async () => {
  gateway.lab.ran.length = 0;
  gateway.faults.length = 0;
  key = (await gateway.key({ lab: ['*'] })).text;
});

/** Runs a server between two streams. */
function start(
  bodyBytes = 64 * 1024,
  engine = async () => gateway.engine,
  listing: Listing = gateway.engine,
) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  const messages = new Mailbox<any>();
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.put(JSON.parse(line));
  });
  const done = serveStdio({
    listing,
    engine,
    info: { name: 'parley-test', version: '1.2.3' },
    changes: gateway.changes,
    limits: { ...gateway.limits, bodyBytes },
    input,
    output,
    caller: async () => gateway.identity.authenticate(key, 'stdio'),
    onFault: (error) => gateway.faults.push(error),
  });
  const write = (message: object | string) =>
    input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return {
    write,
    input,
    messages,
    /** Sends a message and takes the next one that comes back. */
    async ask(message: object | string) {
      write(message);
      return messages.take();
    },
    async end() {
      input.end();
      await done;
      expect(messages.size).toBe(0);
    },
    done,
  };
}

const initialize: Message = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'stdio-test', version: '1' } },
};
const initialized: Message = { jsonrpc: '2.0', method: 'notifications/initialized' };
const legacy = (id: number, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});

test('a modern list and a modern call answer what HTTP answers, to the byte', async () => {
  const server = start();
  for (const message of [
    modern('tools/list', {}, { id: 'a' }),
    modernCall('echo', { text: 'ü' }),
    modernCall('absent', {}),
  ]) {
    const { text } = await sendModern({ port: gateway.port, key }, message);
    expect(JSON.stringify(await server.ask(message))).toBe(text);
  }
  await server.end();
  const sources = (await gateway.records())
    .filter(({ source }) => source === 'stdio')
    .map(({ tool, era }) => [tool, era]);
  expect(sources).toEqual([
    ['echo', 'modern'],
    ['absent', 'modern'],
  ]);
});

test('modern messages that need the SDK are served too, and hot ones go on beside them', async () => {
  const server = start();
  const discovered = await server.ask(modern('server/discover', {}, { id: 'd' }));
  expect(discovered.result.supportedVersions).toContain('2026-07-28');
  const read = await server.ask(modern('resources/read', { uri: 'lab://note' }, { id: 'r' }));
  expect(read).toMatchObject({ id: 'r', result: { contents: [{ text: 'noted' }] } });
  expect((await server.ask(modernCall('echo', { text: 'hi' }))).result.structuredContent).toEqual({
    text: 'hi',
  });
  expect((await server.ask(modern('ping', {}, { id: 'p' }))).error.code).toBe(-32601);
  await server.end();
});

test('a 2025 client opens, lists, calls, and meets unknown tools and methods', async () => {
  const server = start();
  expect(await server.ask(initialize)).toMatchObject({
    id: 0,
    result: { protocolVersion: LEGACY, serverInfo: { name: 'parley-test' }, capabilities: { tools: {} } },
  });
  server.write(initialized);
  const listed = await server.ask(legacy(1, 'tools/list'));
  expect(listed.result.tools.map(({ name }: { name: string }) => name)).toContain('echo');
  expect(listed.result).not.toHaveProperty('resultType');
  const called = await server.ask(legacy(2, 'tools/call', { name: 'echo', arguments: { text: 'hi' } }));
  expect(called).toMatchObject({ id: 2, result: { structuredContent: { text: 'hi' } } });
  expect((await server.ask(legacy(3, 'tools/call', { name: 'absent' }))).error).toMatchObject({
    code: -32602,
  });
  expect((await server.ask(legacy(4, 'no/such'))).error.code).toBe(-32601);
  expect(await server.ask(legacy(5, 'ping'))).toEqual({ jsonrpc: '2.0', id: 5, result: {} });
  await server.end();
});

test('a whole 2025 conversation in one write is answered in full before the end', async () => {
  const server = start();
  const lines = [
    initialize,
    initialized,
    legacy(1, 'tools/list'),
    legacy(2, 'tools/call', { name: 'kinds', arguments: {} }),
  ];
  server.input.end(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  await server.done;
  const ids = [await server.messages.take(), await server.messages.take(), await server.messages.take()].map(
    ({ id }) => id,
  );
  expect(ids).toEqual([0, 1, 2]);
  expect(server.messages.size).toBe(0);
});

test.each([
  ['a broken line', '{"jsonrpc":', -32700],
  ['10,000 levels', '['.repeat(10_000), -32600],
  ['a line that is too long', `"${'x'.repeat(70_000)}"`, -32600],
])('%s is refused and the next message is served', async (_name, line, code) => {
  const server = start();
  expect(await server.ask(line)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
  expect((await server.ask(modernCall('echo', { text: 'hi' }))).result.structuredContent).toEqual({
    text: 'hi',
  });
  await server.end();
  expect(gateway.faults).toEqual([]);
});

test('a long line in many pieces is refused once, and pieces of a good line are put together', async () => {
  const server = start(1024);
  for (let count = 0; count < 10; count += 1) server.input.write('x'.repeat(500));
  server.input.write('\n');
  expect((await server.messages.take()).error.code).toBe(-32600);
  const bytes = Buffer.from(`${JSON.stringify(modernCall('echo', { text: 'Grüße' }))}\r\n\n  \n`);
  for (const byte of bytes) server.input.write(Buffer.of(byte));
  expect((await server.messages.take()).result.structuredContent).toEqual({ text: 'Grüße' });
  await server.end();
});

test('a cancelled call gets no answer, and its tool hears of it', async () => {
  const server = start();
  server.write(modernCall('wait', {}, { id: 'w' }));
  const signal = await gateway.lab.waiting.take();
  server.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'other' } });
  server.write({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 'w', reason: 'enough' },
  });
  await eventually(() => expect(signal.aborted).toBe(true));
  const next = await server.ask(modernCall('echo', { text: 'hi' }, { id: 'n' }));
  expect(next.id).toBe('n');
  await server.end();
});

test('a cancelled 2025 call gets no answer, and the end does not wait for it', async () => {
  const server = start();
  await server.ask(initialize);
  server.write(initialized);
  server.write(legacy(1, 'tools/call', { name: 'wait', arguments: {} }));
  const signal = await gateway.lab.waiting.take();
  server.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await eventually(() => expect(signal.aborted).toBe(true));
  expect((await server.ask(legacy(2, 'ping'))).id).toBe(2);
  await server.end();
});

test('answers that are under way when the input ends are still written', async () => {
  const server = start();
  for (let id = 0; id < 20; id += 1) server.write(modernCall('echo', { text: String(id) }, { id }));
  server.input.end();
  await server.done;
  const ids: number[] = [];
  while (server.messages.size > 0) ids.push((await server.messages.take()).id);
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, id) => id));
});

test.each(['modern', 'legacy'])(
  'a key that is revoked midway is refused by the next %s message',
  async (era) => {
    const made = await gateway.key({ lab: ['*'] });
    key = made.text;
    const server = start();
    const call = (id: number) =>
      era === 'modern'
        ? modernCall('echo', { text: 'hi' }, { id })
        : legacy(id, 'tools/call', { name: 'echo', arguments: { text: 'hi' } });
    if (era === 'legacy') {
      await server.ask(initialize);
      server.write(initialized);
    }
    expect((await server.ask(call(1))).result.structuredContent).toEqual({ text: 'hi' });
    await gateway.identity.revokeKey(gateway.owner, made.id);
    await eventually(async () => expect(await gateway.identity.authenticate(key, 'stdio')).toBeUndefined());
    const refused = await server.ask(call(2));
    expect(refused).toEqual({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'The key of this process is no longer valid.' },
      id: 2,
    });
    server.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
    expect((await server.ask(call(3))).id).toBe(3);
    expect(gateway.lab.ran).toEqual(['echo']);
    await server.end();
  },
);

test('notices carry only what the caller may know, in both eras', async () => {
  const stranger = await gateway.stranger('stdio-stranger');
  const server = start();
  await server.ask(initialize);
  server.write(initialized);
  await server.ask(legacy(1, 'resources/subscribe', { uri: 'lab://note' }));
  const modernServer = start();
  const filter = { toolsListChanged: true, resourceSubscriptions: ['lab://note', 'vault://secret'] };
  const acknowledged = await modernServer.ask(
    modern('subscriptions/listen', { notifications: filter }, { id: 's' }),
  );
  expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged');
  gateway.changes.publish({ kind: 'tools', organizationId: stranger.caller.organizationId });
  gateway.changes.publish({ kind: 'resource', uri: 'vault://secret' });
  gateway.changes.publish({
    kind: 'resource',
    uri: 'lab://note',
    organizationId: stranger.caller.organizationId,
  });
  gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
  for (const { messages } of [server, modernServer]) {
    expect(await messages.take()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'lab://note' },
    });
  }
  await server.end();
  modernServer.input.end();
  await modernServer.done;
});

test('a hidden tool looks like one that does not exist, in both eras', async () => {
  key = (await gateway.key({ lab: ['fail'] })).text;
  const server = start();
  const hidden = await server.ask(modernCall('echo', { text: 'hi' }));
  const absent = await server.ask(modernCall('absent', { text: 'hi' }));
  expect(JSON.stringify(hidden).replace('echo', 'absent')).toBe(JSON.stringify(absent));
  await server.end();
  const old = start();
  await old.ask(initialize);
  old.write(initialized);
  const hiddenOld = await old.ask(legacy(1, 'tools/call', { name: 'echo', arguments: { text: 'hi' } }));
  const absentOld = await old.ask(legacy(1, 'tools/call', { name: 'absent', arguments: { text: 'hi' } }));
  expect(JSON.stringify(hiddenOld).replace('echo', 'absent')).toBe(JSON.stringify(absentOld));
  await old.end();
  expect(gateway.lab.ran).toEqual([]);
});

test('lists are answered before the engine is there, and calls wait for it', async () => {
  const loaded = Promise.withResolvers<typeof gateway.engine>();
  const asked = Promise.withResolvers<void>();
  const server = start(undefined, () => {
    asked.resolve();
    return loaded.promise;
  });
  const list = modern('tools/list', {}, { id: 'early' });
  const early = await server.ask(list);
  expect(early.result.tools.map(({ name }: { name: string }) => name)).toContain('echo');
  // Nobody has called yet: it is loaded ahead of the first call.
  await asked.promise;
  server.write(modernCall('echo', { text: 'hi' }));
  expect(await server.ask(list)).toEqual(early);
  expect(gateway.lab.ran).toEqual([]);
  loaded.resolve(gateway.engine);
  expect((await server.messages.take()).result.structuredContent).toEqual({ text: 'hi' });
  await server.end();
});

test('a long list is read to its end in both eras, though it began before the engine was there', async () => {
  const tools = Array.from({ length: 1_200 }, (_, at) =>
    defineOutsideTool({
      name: `tool_${at}`,
      title: `Tool ${at}`,
      description: 'One of many.',
      effect: 'read',
      inputSchema: { type: 'object' },
      call: () => ({ content: [] }),
    }),
  );
  const long = install(defineToolset({ name: 'long', title: 'Long', tools }));
  // Neither knows the cursors of the other.
  const [listing, engine] = [long, long].map((each) => createEngine({ sources: [toolsetSource(each)] }));
  key = (await gateway.key({ long: ['*'] })).text;
  const pages = async (ask: (id: number, params: object) => Promise<{ result: Listed }>) => {
    const begin = (await ask(1, {})).result;
    const end = (await ask(2, { cursor: begin.nextCursor })).result;
    return [begin, end].map((page) => [page.tools.length, page.nextCursor !== undefined]);
  };
  interface Listed {
    readonly tools: readonly object[];
    readonly nextCursor?: string;
  }
  const server = start(1024 * 1024, async () => engine!, listing);
  const seen = await pages((id, params) => server.ask(modern('tools/list', { ...params }, { id })));
  const old = start(1024 * 1024, async () => engine!, listing);
  await old.ask(initialize);
  old.write(initialized);
  const seenOld = await pages((id, params) => old.ask(legacy(id, 'tools/list', { ...params })));
  const wanted = [
    [1000, true],
    [200, false],
  ];
  expect([seen, seenOld]).toEqual([wanted, wanted]);
  await server.end();
  await old.end();
});

test('a 2025 client lists before the engine is there', async () => {
  const loaded = Promise.withResolvers<typeof gateway.engine>();
  const server = start(undefined, () => loaded.promise);
  await server.ask(initialize);
  server.write(initialized);
  const listed = await server.ask(legacy(1, 'tools/list'));
  expect(listed.result.tools.map(({ name }: { name: string }) => name)).toContain('echo');
  loaded.resolve(gateway.engine);
  const called = await server.ask(legacy(2, 'tools/call', { name: 'echo', arguments: { text: 'hi' } }));
  expect(called).toMatchObject({ id: 2, result: { structuredContent: { text: 'hi' } } });
  await server.end();
});

test('an engine that cannot be loaded is a fault, and its details stay here', async () => {
  const server = start(undefined, async () => {
    throw new Error('secret path');
  });
  const answer = await server.ask(modernCall('echo', { text: 'hi' }));
  expect(answer.error).toEqual({ code: -32603, message: 'Internal error' });
  expect(gateway.faults).toEqual([new Error('secret path')]);
  await server.end();
});

test('nothing is loaded ahead once the input has ended', async () => {
  let asked = 0;
  const server = start(undefined, async () => {
    asked += 1;
    return gateway.engine;
  });
  server.write(modern('tools/list', {}, { id: 'last' }));
  server.input.end();
  await server.done;
  expect((await server.messages.take()).id).toBe('last');
  const before = asked;
  await new Promise(setImmediate);
  expect(asked).toBe(before);
});

/** A server whose client writes and does not read. */
function startUnread() {
  const input = new PassThrough();
  const output = new PassThrough({ writableHighWaterMark: 1024, readableHighWaterMark: 1024 });
  const done = serveStdio({
    listing: gateway.engine,
    engine: async () => gateway.engine,
    info: { name: 'parley-test', version: '1.2.3' },
    changes: gateway.changes,
    limits: gateway.limits,
    input,
    output,
    caller: async () => gateway.identity.authenticate(key, 'stdio'),
    onFault: (error) => gateway.faults.push(error),
  });
  return { input, output, done };
}

test('a client that does not read holds up its own requests, and gets every answer when it does', async () => {
  const { input, output, done } = startUnread();
  const count = 300;
  for (let id = 0; id < count; id += 1)
    input.write(`${JSON.stringify(modernCall('echo', { text: 'x'.repeat(9000) }, { id }))}\n`);
  input.end();
  await eventually(async () => expect(output.writableNeedDrain).toBe(true));
  for (let turns = 0; turns < 1000; turns += 1) await new Promise(setImmediate);
  expect(output.writableLength).toBeLessThan(1_000_000);
  const ids = new Set<number>();
  let rest = '';
  for await (const chunk of output.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) ids.add((JSON.parse(line) as { id: number }).id);
    if (ids.size === count) break;
  }
  expect(ids.size).toBe(count);
  await done;
});

test('a client that is gone ends the server without a fault', async () => {
  const { input, output, done } = startUnread();
  input.write(`${JSON.stringify(modernCall('echo', { text: 'hi' }))}\n`);
  await eventually(async () => expect(gateway.lab.ran).toEqual(['echo']));
  output.destroy(new Error('EPIPE'));
  await done;
  expect(gateway.faults).toEqual([]);
});

test('a notice waits while rights cannot be looked up, and requests are answered after', async () => {
  const server = start();
  await server.ask(initialize);
  server.write(initialized);
  await server.ask(legacy(1, 'resources/subscribe', { uri: 'lab://note' }));
  const lost = new StoreUnavailableError('lost');
  vi.spyOn(gateway.identity, 'authenticate').mockRejectedValueOnce(lost);
  gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
  expect((await server.messages.take()).method).toBe('notifications/resources/updated');
  expect(gateway.faults).toEqual([lost]);
  expect((await server.ask(legacy(2, 'ping'))).result).toEqual({});
  await server.end();
});
