/** Every kind of bad input has a defined answer with the right status and code, runs no tool, and leaves the server serving. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Message, Sending } from '@parley/test-support/wire';
import {
  modern,
  modernCall,
  modernHeaders,
  send,
  sendModern,
  sendRaw,
  sendSlowly,
} from '@parley/test-support/wire';

let gateway: TestGateway;
let to: { port: number; key: string };

beforeAll(async () => {
  gateway = await startGateway({ limits: { bodyBytes: 64 * 1024, jsonValues: 1000 } });
  to = { port: gateway.port, key: gateway.ownerKey };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

beforeEach(() => {
  gateway.lab.ran.length = 0;
});

afterEach(async () => {
  const answer = await sendModern(to, modernCall('echo', { text: 'still here' }));
  expect(answer.json.result.structuredContent).toEqual({ text: 'still here' });
  expect(gateway.faults).toEqual([]);
});

const good = modernCall('echo', { text: 'hi' });
const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

function post(
  body: string | Buffer,
  headers: Sending['headers'] = {},
): Promise<Awaited<ReturnType<typeof send>>> {
  return send({ ...to, body, headers: { ...modernHeaders(good), ...headers } });
}

/** Refusals carry a code, a sentence and nothing that is nobody's business. */
function expectRefused(answer: Awaited<ReturnType<typeof send>>, status: number, code: number): void {
  expect({ status: answer.status, code: answer.json?.error?.code }).toEqual({ status, code });
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.json.jsonrpc).toBe('2.0');
  expect(answer.text).not.toMatch(/node_modules|\.ts:|\bat \//);
  expect(gateway.lab.ran).toEqual([]);
}

describe('bodies', () => {
  test.each([
    ['an empty body', ''],
    ['half a message', '{"jsonrpc":"2.0","id":1'],
    ['plain text', 'hello'],
    ['two messages', `${JSON.stringify(good)}\n${JSON.stringify(good)}`],
    ['a byte order mark', `\ufeff${JSON.stringify(good)}`],
    ['an open string', '{"jsonrpc":"2.0'],
    ['a trailing backslash', '"\\'],
  ])('%s is a parse error', async (_name, body) => {
    expectRefused(await post(body), 400, -32700);
  });

  test.each([
    ['null', 'null'],
    ['a number', '7'],
    ['an empty object', '{}'],
    ['an empty batch', '[]'],
    ['a modern batch', JSON.stringify([good])],
    ['another version of JSON-RPC', JSON.stringify({ ...good, jsonrpc: '1.0' })],
    ['a null id', JSON.stringify({ ...good, id: null })],
    ['an id that is an object', JSON.stringify({ ...good, id: {} })],
    ['a fraction as id', JSON.stringify({ ...good, id: 1.5 })],
    ['a method that is a number', JSON.stringify({ ...good, method: 4 })],
    ['params that are a list', JSON.stringify({ ...good, params: [] })],
  ])('%s is an invalid request', async (_name, body) => {
    expectRefused(await post(body), 400, -32600);
  });

  test.each([
    ['lists', deep(10_000, '[', ']')],
    ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['lists that never close', '['.repeat(10_000)],
    ['lists inside the arguments', JSON.stringify(good).replace('"hi"', deep(10_000, '[', ']'))],
  ])('10,000 levels of %s are refused before they are parsed', async (_name, body) => {
    const answer = await post(body);
    expectRefused(answer, 400, -32600);
    expect(answer.json.error.message).toContain('nested deeper than 64');
  });

  test('64 levels are served and brackets inside strings do not count', async () => {
    const text = '[{'.repeat(200);
    const answer = await sendModern(to, modernCall('echo', { text: `${text}\\"` }));
    expect(answer.json.result.structuredContent.text).toBe(`${text}\\"`);
    const open = await post(JSON.stringify(modernCall('open', JSON.parse(`{"a":${deep(60, '[', ']')}}`))), {
      'mcp-name': 'open',
    });
    expect(open.json.result.structuredContent.keys).toEqual(['a']);
  });

  test('more values than allowed are refused', async () => {
    const answer = await post(
      JSON.stringify(modernCall('open', { list: Array.from({ length: 2000 }, () => 1) })),
    );
    expectRefused(answer, 400, -32600);
    expect(answer.json.error.message).toContain('more than 1000 values');
  });

  test('a body that announces too many bytes is refused before it is read', async () => {
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${to.key}\r\ncontent-type: application/json\r\n`;
    const answer = await sendRaw(to.port, `${head}content-length: 70000\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":-32000');
  });

  test('a body that grows too large while it is read is refused', async () => {
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${to.key}\r\ncontent-type: application/json\r\n`;
    const chunk = `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n`;
    const answer = await sendRaw(to.port, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a large body that is sent whole still gets its refusal', async () => {
    const answer = await post(' '.repeat(6 * 1024 * 1024));
    expect(answer.status).toBe(413);
  });

  test('check 4: bodies that come a byte at a time are 408, however many there are, and others are served meanwhile', async () => {
    await using slow = await startGateway({ limits: { bodyTimeoutMs: 1000 } });
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${slow.ownerKey}\r\n`;
    const half = `content-type: application/json\r\ncontent-length: 50000\r\n\r\n{"jsonrpc"`;
    const answers: string[] = [];
    const clients = Array.from({ length: 100 }, async () =>
      answers.push(await sendSlowly(slow.port, head + half)),
    );
    let served = 0;
    for (; answers.length < clients.length; served += 1)
      expect((await sendModern({ port: slow.port, key: slow.ownerKey }, good)).status).toBe(200);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    // Each of them was answered before the last of the others was.
    expect(served).toBeGreaterThan(1);
    await Promise.all(clients);
  });

  test('a body of exactly the limit is read', async () => {
    const message = JSON.stringify(good);
    const answer = await post(message + ' '.repeat(64 * 1024 - message.length));
    expect(answer.status).toBe(200);
    gateway.lab.ran.length = 0;
    expectRefused(await post(message + ' '.repeat(64 * 1024 - message.length + 1)), 413, -32000);
  });

  test('bytes that are not UTF-8 are a parse error', async () => {
    const bytes = Buffer.from(JSON.stringify(good).replace('hi', 'h\u00ffi'), 'latin1');
    expectRefused(await post(bytes), 400, -32700);
  });

  test('the last of two equal keys counts, for the tool and for the header check alike', async () => {
    const body = JSON.stringify(good).replace('"name":"echo"', '"name":"start","name":"echo"');
    const answer = await post(body);
    expect(answer.json.result.structuredContent).toEqual({ text: 'hi' });
    expect(gateway.lab.ran).toEqual(['echo']);
    gateway.lab.ran.length = 0;
    expectRefused(
      await post(JSON.stringify(good).replace('"name":"echo"', '"name":"echo","name":"start"')),
      400,
      -32020,
    );
  });

  test('keys named like prototypes are plain data', async () => {
    const body = JSON.stringify(modernCall('open', { a: 1 })).replace(
      '"a":1',
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":1',
    );
    const answer = await post(body, { 'mcp-name': 'open' });
    expect(answer.status).toBe(200);
    expect(answer.json.result.structuredContent.isPolluted).toBe(false);
    expect({}).not.toHaveProperty('polluted');
    const refused = await post(
      JSON.stringify(good).replace('"text":"hi"', '"text":"hi","__proto__":{"polluted":true}'),
    );
    expect(refused.status).toBe(200);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('content types and encodings', () => {
  test.each([
    ['no content type', { 'content-type': undefined }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a JSON-like type', { 'content-type': 'application/json-seq' }],
    ['JSON inside another type', { 'content-type': 'text/plain; application/json' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['two charsets', { 'content-type': 'application/json; charset=utf-8; charset=latin1' }],
    ['an unknown encoding', { 'content-encoding': 'br' }],
  ])('%s is 415', async (_name, headers) => {
    const all = Object.entries({ ...modernHeaders(good), ...headers }).filter(
      ([, value]) => value !== undefined,
    );
    const answer = await send({ ...to, body: JSON.stringify(good), headers: Object.fromEntries(all) });
    expectRefused(answer, 415, -32000);
  });

  test('a compressed body is 415, and is not unpacked', async () => {
    expectRefused(await post(gzipSync(JSON.stringify(good)), { 'content-encoding': 'gzip' }), 415, -32000);
  });

  test('UTF-16 is refused, with and without saying so', async () => {
    const bytes = Buffer.from(`\ufeff${JSON.stringify(good)}`, 'utf16le');
    expectRefused(await post(bytes, { 'content-type': 'application/json; charset=utf-16le' }), 415, -32000);
    expectRefused(await post(bytes), 400, -32700);
    expectRefused(await post(Buffer.from(JSON.stringify(good), 'utf16le')), 400, -32700);
  });

  test.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json; profile=x',
  ])('%s is served', async (type) => {
    const answer = await post(JSON.stringify(good), { 'content-type': type });
    expect(answer.json.result.structuredContent).toEqual({ text: 'hi' });
  });
});

describe('messages', () => {
  const without = (key: string): Message => {
    const message = JSON.parse(JSON.stringify(good));
    delete message.params._meta[`io.modelcontextprotocol/${key}`];
    return message;
  };

  test.each([
    ['without a version in the body', without('protocolVersion')],
    ['without capabilities', without('clientCapabilities')],
    ['with capabilities that are a list', modernCall('echo', { text: 'hi' }, { capabilities: [] as never })],
    ['without _meta', { ...good, params: { name: 'echo', arguments: { text: 'hi' } } }],
    ['with arguments that are a list', modernCall('echo', [] as never)],
  ])('a call %s is -32602', async (_name, message) => {
    const answer = await sendModern(to, message);
    expect(answer.json.error.code).toBe(-32602);
    expect(answer.status).toBeLessThan(500);
    expect(gateway.lab.ran).toEqual([]);
  });

  test('another protocol version is -32022 and names what is served', async () => {
    const version = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const message = modernCall('echo', { text: 'hi' }, { meta: version });
    const answer = await send({
      ...to,
      body: JSON.stringify(message),
      headers: { ...modernHeaders(message), 'mcp-protocol-version': '2099-01-01' },
    });
    expectRefused(answer, 400, -32022);
    expect(answer.json.error.data).toMatchObject({ supported: ['2026-07-28'], requested: '2099-01-01' });
  });

  test.each([
    'no/such/method',
    'ping',
    'logging/setLevel',
    'tasks/list',
    'tasks/result',
    'resources/subscribe',
    '__proto__',
  ])('the method %s is unknown to a modern client: 404 and -32601', async (method) => {
    const answer = await sendModern(to, modern(method, { taskId: 'x' }));
    expectRefused(answer, 404, -32601);
    expect(answer.json.id).toBe(1);
  });

  test('an unknown tool is -32602 and says so', async () => {
    const answer = await sendModern(to, modernCall('nope', {}, { id: 'q' }));
    expect(answer.json).toEqual({
      jsonrpc: '2.0',
      id: 'q',
      error: { code: -32602, message: 'Unknown tool: nope' },
    });
    expect(answer.status).toBe(200);
  });

  test('an unknown resource is -32602 with its URI, never empty contents', async () => {
    const answer = await sendModern(to, modern('resources/read', { uri: 'lab://nothing' }));
    expect(answer.json.error).toMatchObject({ code: -32602, data: { uri: 'lab://nothing' } });
  });

  test('an unknown prompt is -32602', async () => {
    expect((await sendModern(to, modern('prompts/get', { name: 'nope' }))).json.error.code).toBe(-32602);
  });

  test('wrong argument types come back as a tool result that names every field', async () => {
    const answer = await sendModern(
      to,
      modernCall('typed', { count: 99, mode: 'medium', flag: 'yes', where: { x: '1' } }),
    );
    expect(answer.status).toBe(200);
    expect(answer.json.result.isError).toBe(true);
    expect(answer.json.result._meta['dev.parley/code']).toBe('invalid');
    const [{ text }] = answer.json.result.content;
    expect(text).toMatch(/^Error: /);
    for (const field of ['count: must', 'mode: must', 'flag: must', 'where.x: must'])
      expect(text).toContain(field);
    expect(gateway.lab.ran).toEqual([]);
  });

  test('output that breaks its own schema is a tool error, not an answer', async () => {
    const answer = await sendModern(to, modernCall('broken', {}));
    expect(answer.json.result).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'invalid_output' },
    });
    expect(answer.json.result).not.toHaveProperty('structuredContent');
  });

  test('a fault of ours is -32603 with a fixed text', async () => {
    const answer = await sendModern(to, modernCall('explode', {}));
    expect(answer.json.error).toEqual({ code: -32603, message: 'Internal error' });
    expect(answer.text).not.toMatch(/select|secrets|var/);
    expect(gateway.faults.splice(0)).toHaveLength(1);
  });

  test('a result that is too large is cut and says so', async () => {
    const answer = await sendModern(to, modernCall('large', {}));
    expect(answer.json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'too_large' } });
    expect(answer.text.length).toBeLessThan(1024 * 1024);
  });
});

describe('URLs and methods', () => {
  test('a URL over 8 KiB is 414', async () => {
    expectRefused(await send({ ...to, path: `/mcp?${'x'.repeat(8 * 1024)}`, body: '{}' }), 414, -32000);
  });

  test.each([
    '/mcp/',
    '/mcp/nope',
    '/mcp/lab/',
    '/mcp/..%2flab',
    '/mcp/LAB',
    '/mcp/__proto__',
    '/mcp/constructor',
  ])('nothing is served at %s, and unknown toolsets look alike', async (path) => {
    const answer = await sendModern({ ...to, path }, good);
    expectRefused(answer, 404, -32601);
    expect(answer.json.error.message).toBe('Nothing is served at this URL.');
  });

  test('one toolset is served at its own URL, and the tools of others are unknown there', async () => {
    const listed = await sendModern({ ...to, path: '/mcp/vault?mode=x' }, modern('tools/list'));
    expect(listed.json.result.tools).toEqual([]);
    const answer = await sendModern({ ...to, path: '/mcp/vault' }, good);
    expect(answer.json.error.message).toBe('Unknown tool: echo');
    expect(gateway.lab.ran).toEqual([]);
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'])(
    '%s without a session is 405',
    async (method) => {
      const answer = await send({ ...to, method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('POST');
      expect(gateway.lab.ran).toEqual([]);
    },
  );
});
