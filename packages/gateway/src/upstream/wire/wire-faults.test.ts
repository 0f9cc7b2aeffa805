/** What goes wrong on the wire, and which fault each of it is: one kind, a sentence, no word of the server's own. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { serveForTest } from '@parley/test-support/scripted-server';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callOf, faultOf, linksBed } from '../../../test/links-bed.ts';
import { endingOf } from '../isolation.ts';
import type { FaultKind } from '../link.ts';

const CANARY = 's3cret-canary';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

/** A call to a server of 2026 that answers every call in one way. */
async function calling(
  answer: (response: ServerResponse, id: number) => unknown,
  changes: Parameters<typeof callOf>[1] = {},
  { maxResultBytes = 1024 * 1024, idleMs = 200 } = {},
) {
  const server = await serveForTest(({ body }, response) => {
    const { id } = JSON.parse(body) as { id: number };
    return answer(response, id);
  });
  const { link } = linksBed({ limits: { idleMs } });
  const work = link(`${server.origin}/${CANARY}`, { era: 'modern', token: CANARY, maxResultBytes }).request(
    callOf({}, changes),
  );
  return { server, work };
}

const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
const ok = (id: number, result: unknown = {}) => JSON.stringify({ jsonrpc: '2.0', id, result });

describe('an answer', () => {
  const cases: [string, (response: ServerResponse, id: number) => unknown, FaultKind][] = [
    [
      '401',
      (response) => response.writeHead(401, { 'www-authenticate': 'Bearer x="y"' }).end(CANARY),
      'auth_required',
    ],
    ['403', (response) => response.writeHead(403).end(CANARY), 'forbidden'],
    ['429', (response) => response.writeHead(429, { 'retry-after': '7' }).end(CANARY), 'rate_limited'],
    ['500', (response) => response.writeHead(500).end(CANARY), 'broken'],
    ['503', (response) => response.writeHead(503, { 'retry-after': '7' }).end(CANARY), 'broken'],
    ['a redirect', (response) => response.writeHead(307, { location: `/${CANARY}/2` }).end(), 'not_allowed'],
    ['no JSON', (response) => response.writeHead(200, JSON_TYPE).end('<p>'), 'invalid_result'],
    ['no JSON-RPC', (response) => response.writeHead(200, JSON_TYPE).end('{}'), 'invalid_result'],
    [
      'HTML',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'invalid_result',
    ],
    ['nothing', (response) => response.writeHead(202).end(), 'invalid_result'],
    ['a wrong id', (response, id) => response.writeHead(200, JSON_TYPE).end(ok(id + 1)), 'invalid_result'],
    ['no object', (response, id) => response.writeHead(200, JSON_TYPE).end(ok(id, [])), 'invalid_result'],
    [
      'too deep',
      (response, id) =>
        response.writeHead(200, JSON_TYPE).end(`{"jsonrpc":"2.0","id":${id},"result":{"a":${deep}}}`),
      'invalid_result',
    ],
    [
      'a wrong id in a stream',
      (response, id) => response.writeHead(200, EVENTS).end(`data: ${ok(id + 1)}\n\n`),
      'invalid_result',
    ],
    [
      'a stream without a result',
      (response) => response.writeHead(200, EVENTS).end(': nothing\n\n'),
      'dropped',
    ],
    ['a silent stream', (response) => response.writeHead(200, EVENTS).write(': nothing\n\n'), 'timeout'],
    [
      'half a body',
      (response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' });
        response.write('{', () => response.destroy());
      },
      'dropped',
    ],
    ['a closed connection', (response) => response.destroy(), 'dropped'],
    [
      'an error',
      (response, id) => {
        const error = { code: -32602, message: 'No.', data: { a: 1 } };
        return response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      },
      'rpc',
    ],
  ];

  test.each(cases)('that is %s', async (_name, answer, kind) => {
    const { work, server } = await calling(answer);
    const fault = await faultOf(work);
    expect(fault).toMatchObject({ kind, wasSent: true });
    expect(fault.message).not.toContain(CANARY);
    expect(server.seen).toHaveLength(1);
  });

  test('whose headers are too large is told as that, and not as a long result', async () => {
    const { work } = await calling((response, id) =>
      response.writeHead(200, { ...JSON_TYPE, 'x-big': 'a'.repeat(65_536) }).end(ok(id)),
    );
    const { kind, message } = await faultOf(work);
    expect([kind, message]).toEqual(['invalid_result', expect.stringContaining('headers of its answer')]);
  });

  test('keeps what code has to know', async () => {
    const challenge = 'Bearer resource_metadata="https://as.test/meta"';
    const refused = await calling((response) =>
      response.writeHead(401, { 'www-authenticate': challenge }).end(),
    );
    expect(await faultOf(refused.work)).toMatchObject({ challenge });
    const busy = await calling((response) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect(await faultOf(busy.work)).toMatchObject({ retryAfterMs: 7_000 });
    const wrong = await calling((response, id) => {
      const error = { code: -32021, message: 'x'.repeat(2_000), data: { a: 1 } };
      return response.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
    const fault = await faultOf(wrong.work);
    expect(fault.rpc).toEqual({ code: -32021, message: 'x'.repeat(2_000), data: { a: 1 } });
    expect(fault.message).toBe('x'.repeat(2_000));
  });

  test('is shown without the secrets of the connection', async () => {
    const secret = 'a "quoted" secret';
    const error = { code: -32602, message: `${'x'.repeat(490)}${secret}`, data: { said: secret } };
    const server = await serveForTest(({ body }, response) => {
      const { id } = JSON.parse(body) as { id: number };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
    const link = linksBed().link(server.origin, { era: 'modern', secrets: ['', secret] });
    const fault = await faultOf(link.request(callOf()));
    expect(fault.rpc).toEqual({ code: -32602, message: `${'x'.repeat(490)}[secret]` });
    expect(JSON.stringify([fault.message, fault.rpc])).not.toContain('quoted');
  });

  test.each([
    [
      'as JSON',
      (response: ServerResponse, id: number, text: string) =>
        response.writeHead(200, JSON_TYPE).end(ok(id, { text })),
    ],
    [
      'in a stream',
      (response: ServerResponse, id: number, text: string) =>
        response.writeHead(200, EVENTS).end(`data: ${ok(id, { text })}\n\n`),
    ],
    [
      'compressed',
      (response: ServerResponse, id: number, text: string) =>
        response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(ok(id, { text }))),
    ],
    [
      'compressed in a stream',
      (response: ServerResponse, id: number, text: string) =>
        response
          .writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' })
          .end(gzipSync(`data: ${ok(id, { text })}\n\n`)),
    ],
  ])('may have as many bytes as the connection allows, %s', async (_name, answer) => {
    const text = Array.from({ length: 4_000 }, (_each, index) => index.toString(36)).join(' ');
    const small = await calling((response, id) => answer(response, id, text));
    expect(await small.work).toEqual({ text });
    const large = await calling((response, id) => answer(response, id, text), {}, { maxResultBytes: 10_000 });
    const fault = await faultOf(large.work);
    expect(fault).toMatchObject({ kind: 'invalid_result' });
    // Too much says nothing of the health of the server.
    expect(endingOf(fault)).toBe('neither');
  });
});

describe('time', () => {
  test('runs out for a call that is never answered', async () => {
    const { work } = await calling(() => undefined, { limitMs: 100 });
    expect(await faultOf(work)).toMatchObject({ kind: 'timeout', wasSent: true });
  });

  test('runs out for a call that only drips', async () => {
    const { work } = await calling(
      (response) => {
        response.writeHead(200, EVENTS);
        const timer = setInterval(() => response.write(':\n'), 20);
        response.on('close', () => clearInterval(timer));
      },
      { limitMs: 300 },
    );
    expect(await faultOf(work)).toMatchObject({ kind: 'timeout' });
  });

  test('is prolonged by whatever comes, up to the limit of the call', async () => {
    const speaking = (response: ServerResponse, id: number) => {
      response.writeHead(200, EVENTS);
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
        if (ticks < 20) return response.write(':\n');
        clearInterval(timer);
        return response.end(`data: ${ok(id)}\n\n`);
      }, 100);
    };
    const { work } = await calling(speaking, {}, { idleMs: 1_500 });
    expect(await work).toEqual({});
  });

  test('is short for the opening', async () => {
    const server = await serveForTest(() => undefined);
    const { link } = linksBed({ limits: { handshakeMs: 100, sseHandshakeMs: 100 } });
    expect(await faultOf(link(server.origin).facts())).toMatchObject({ kind: 'timeout' });
    expect(await faultOf(link(server.origin, { type: 'SSE', id: 'conn_sse' }).facts())).toMatchObject({
      kind: 'timeout',
    });
  });
});

describe('an address', () => {
  test('that nobody listens at, that is not allowed, or that is none', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo; // a listening TCP server has a port
    gone.close();
    await once(gone, 'close');
    const { link } = linksBed();
    const kinds: [string | null, object, FaultKind][] = [
      [`http://127.0.0.1:${port}/`, {}, 'unreachable'],
      [`http://127.0.0.1:${port}/`, { allow: [] }, 'not_allowed'],
      ['https://169.254.169.254/', { allow: ['169.254.169.254'] }, 'not_allowed'],
      ['ftp://127.0.0.1/', {}, 'not_allowed'],
      ['nonsense', {}, 'invalid_result'],
      [null, {}, 'invalid_result'],
    ];
    for (const [url, changes, kind] of kinds) {
      const fault = await faultOf(
        link(url, { id: `conn ${kind}`, era: 'modern', ...changes }).request(callOf()),
      );
      expect(fault, String(url)).toMatchObject({ kind, wasSent: false });
      expect(fault.message).not.toContain('127.0.0.1');
    }
  });
});

describe('a connection that closes before any answer', () => {
  const closing = async () => {
    let count = 0;
    const server = await serveWire({
      era: '2026',
      fault: (_request, response) => {
        count += 1;
        if (count > 1) return false;
        response.destroy();
        return true;
      },
    });
    return server;
  };

  test('is tried once more for a read', async () => {
    const server = await closing();
    const result = await linksBed()
      .link(server.url, { era: 'modern' })
      .request(callOf({}, { isRead: true }));
    expect(result).toMatchObject({ resultType: 'complete' });
    expect(server.seen).toHaveLength(2);
  });

  test('is never tried again for a write', async () => {
    const server = await closing();
    const work = linksBed().link(server.url, { era: 'modern' }).request(callOf());
    expect(await faultOf(work)).toMatchObject({ kind: 'dropped', wasSent: true });
    expect(server.seen).toHaveLength(1);
  });

  test('is not tried again after the answer has begun', async () => {
    const server = await serveForTest((_request, response) => {
      response.writeHead(200, EVENTS);
      response.write(': begun\n\n', () => response.destroy());
    });
    const work = linksBed()
      .link(server.origin, { era: 'modern' })
      .request(callOf({}, { isRead: true }));
    expect(await faultOf(work)).toMatchObject({ kind: 'dropped' });
    expect(server.seen).toHaveLength(1);
  });
});

test('types without a way to them are refused', async () => {
  const { links, link } = linksBed();
  onTestFinished(() => links.close());
  for (const type of ['STDIO', 'OPENAPI'] as const)
    expect(await faultOf(link('http://127.0.0.1/', { type }).facts())).toMatchObject({ kind: 'not_allowed' });
});
