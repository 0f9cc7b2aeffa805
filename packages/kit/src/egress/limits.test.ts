/** Owns the promise that size, growth, silence and time of every request are bounded. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { eventually } from '@parley/test-support/eventually';
import { startServer } from '@parley/test-support/scripted-server';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { detach } from '../detach.ts';
import { createEgress } from './egress.ts';
import type { Egress } from './egress.ts';
import type { EgressLimits } from './policy.ts';
import type { EgressInit } from './request.ts';

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const open: Egress[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((egress) => egress.close()));
});

const get = (port: number, limits: Partial<EgressLimits> = {}, init: EgressInit = {}) => {
  const egress = createEgress({ allow: ['127.0.0.1'], limits });
  open.push(egress);
  return egress.fetch(`http://127.0.0.1:${port}/`, init);
};

const serve = (answer: (response: ServerResponse) => void) =>
  startServer((_request, response) => answer(response));

const collectText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

describe('a body', () => {
  test.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (data: Buffer) => data],
  ])('in %s is read as it was meant', async (coding, encode) => {
    const data = encode(Buffer.from('{"hello":"wörld"}'));
    await using server = await serve((response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(data),
    );
    const answer = await get(server.port);
    expect(await answer.json()).toEqual({ hello: 'wörld' });
    expect(await collectText(answer.body)).toBe('{"hello":"wörld"}');
    const streamed = await get(server.port, {}, { stream: true });
    expect(await collectText(streamed.body)).toBe('{"hello":"wörld"}');
  });

  test.each(['gzip, gzip', 'compress', 'zstd', 'br, gzip'])(
    'in the coding "%s" is refused',
    async (coding) => {
      await using server = await serve((response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(gzipSync('x')),
      );
      await expect(get(server.port)).rejects.toMatchObject({ code: 'invalid' });
    },
  );

  test('that is damaged gzip is refused', async () => {
    await using server = await serve((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello').subarray(0, 12)),
    );
    await expect(get(server.port)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('that is empty although it claims gzip is empty', async () => {
    await using server = await serve((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    );
    expect(await (await get(server.port)).text()).toBe('');
    expect((await get(server.port, {}, { method: 'HEAD' })).headers.get('content-encoding')).toBe('gzip');
  });

  test('over the size limit is refused, announced or not', async () => {
    await using announced = await serve((response) => response.end('x'.repeat(2_000)));
    await using chunked = await serve((response) => {
      response.write('x'.repeat(1_000));
      response.end('x'.repeat(1_000));
    });
    for (const { port } of [announced, chunked]) {
      await expect(get(port, { maxBytes: 1_999 })).rejects.toMatchObject({ code: 'too_large' });
      expect((await (await get(port, { maxBytes: 2_000 })).bytes()).byteLength).toBe(2_000);
      const streamed = await get(port, { maxBytes: 1_999 }, { stream: true });
      await expect(streamed.bytes()).rejects.toMatchObject({ code: 'too_large' });
    }
  });

  test('that never ends is cut at the size limit', async () => {
    await using server = await serve((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    await expect(get(server.port, { maxBytes: 100_000 })).rejects.toMatchObject({ code: 'too_large' });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('that is a %s bomb is refused by its ratio and by its size', async (coding, encode) => {
    const bomb = encode(Buffer.alloc(9 * 1024 * 1024));
    await using server = await serve((response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(bomb),
    );
    await expect(get(server.port)).rejects.toMatchObject({ code: 'too_large' });
    const streamed = await get(server.port, {}, { stream: true });
    await expect(collectText(streamed.body)).rejects.toMatchObject({ code: 'too_large' });
    const bySize = get(server.port, { maxCompressionRatio: 1e9, maxBytes: 1024 * 1024 });
    await expect(bySize).rejects.toMatchObject({ code: 'too_large' });
    const lenient = await get(server.port, { maxCompressionRatio: 1e9 });
    expect((await lenient.bytes()).byteLength).toBe(9 * 1024 * 1024);
  });

  test('that is not JSON is refused as JSON', async () => {
    await using server = await serve((response) => response.end('<html>'));
    await expect((await get(server.port)).json()).rejects.toMatchObject({ code: 'invalid' });
  });

  test('that breaks off is unreachable', async () => {
    await using server = await serve((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('part', () => response.destroy());
    });
    await expect(get(server.port)).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('headers', () => {
  test('over the limit are refused', async () => {
    await using server = await serve((response) =>
      response.writeHead(200, { 'x-big': 'x'.repeat(70_000) }).end(),
    );
    await expect(get(server.port)).rejects.toMatchObject({ code: 'too_large' });
    expect((await get(server.port, { maxHeaderBytes: 80_000 })).headers.get('x-big')).toHaveLength(70_000);
  });

  test.each(['Host', 'connection', 'content-length', 'Transfer-Encoding', 'upgrade', 'proxy-authorization'])(
    'the caller cannot set %s',
    async (name) => {
      await using server = await serve((response) => response.end());
      const refused = get(server.port, {}, { headers: { [name]: 'x' } });
      await expect(refused).rejects.toMatchObject({ code: 'invalid' });
      expect(server.seen).toEqual([]);
    },
  );

  test.each([
    ['a line break in a header', { headers: { 'x-a': 'b\r\nhost: evil' } }],
    ['an unknown method', { method: 'GET / HTTP/1.1\r\nx' }],
    ['CONNECT', { method: 'CONNECT' }],
    ['a GET with a body', { body: 'x' }],
  ])('%s is refused before anything is sent', async (_what, init) => {
    await using server = await serve((response) => response.end());
    await expect(get(server.port, {}, init)).rejects.toMatchObject({ code: 'invalid' });
    expect(server.seen).toEqual([]);
  });
});

describe('time', () => {
  test('a server that hangs times out', async () => {
    await using server = await serve(() => undefined);
    await expect(get(server.port, { totalTimeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    const stream = get(server.port, { totalTimeoutMs: 50 }, { stream: true });
    await expect(stream).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a use may have a limit of its own, shorter or longer', async () => {
    await using hanging = await serve(() => undefined);
    await expect(get(hanging.port, {}, { limitMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    const asked = Promise.withResolvers<ServerResponse>();
    await using server = await serve(asked.resolve);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const late = get(server.port, { totalTimeoutMs: 500 }, { limitMs: 60_000 });
    const response = await asked.promise;
    await vi.advanceTimersByTimeAsync(1_000);
    response.end('late');
    expect(await (await late).text()).toBe('late');
  });

  test('a body that drips forever times out in all', async () => {
    await using server = await serve((response) => {
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(drip));
    });
    await expect(get(server.port, { totalTimeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a stream outlives the total limit while it speaks, and ends when it falls silent', async () => {
    let speak = (): unknown => undefined;
    await using server = await serve((response) => {
      speak = () => response.write('.');
      speak();
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const limits = { totalTimeoutMs: 500, streamIdleMs: 10_000 };
    const answer = await get(server.port, limits, { stream: true });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
    };
    const ended = failureOf(read());
    for (let spoken = 1; spoken <= 3; spoken += 1) {
      await eventually(() => expect(text).toBe('.'.repeat(spoken)));
      await vi.advanceTimersByTimeAsync(600);
      speak();
    }
    await eventually(() => expect(text).toBe('....'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ended).toMatchObject({ code: 'timeout' });
    expect(text).toBe('....');
  });

  test('a slow reader is not taken for a silent server', async () => {
    const finish = Promise.withResolvers<void>();
    await using server = await serve((response) => {
      response.write('hello');
      detach(
        finish.promise.then(() => response.end()),
        () => response.destroy(),
      );
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const answer = await get(server.port, { streamIdleMs: 400 }, { stream: true });
    let text = '';
    for await (const chunk of answer.body) {
      text += Buffer.from(chunk).toString();
      await vi.advanceTimersByTimeAsync(600);
      finish.resolve();
    }
    expect(text).toBe('hello');
  });

  test('a stream that nobody reads is closed by the idle limit', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((response) => {
      response.on('close', () => closed.resolve());
      response.write('hello');
    });
    const answer = await get(server.port, { streamIdleMs: 50 }, { stream: true });
    await closed.promise;
    await expect(answer.text()).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a resolver that hangs times out', async () => {
    const egress = createEgress({
      resolve: () => new Promise(() => undefined),
      limits: { connectTimeoutMs: 20 },
    });
    await expect(egress.check('https://slow.test/')).rejects.toMatchObject({ code: 'timeout' });
    await expect(egress.fetch('https://slow.test/')).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a connection that never completes times out', async () => {
    const mute = createServer();
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = mute.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const egress = createEgress({ allow: ['127.0.0.1'], limits: { connectTimeoutMs: 50 } });
    open.push(egress);
    await expect(egress.fetch(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'timeout' });
    mute.close();
  });
});

describe('the caller', () => {
  test('frees the connection by leaving a compressed stream that has fallen silent', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write('hello');
      gzip.flush();
    });
    const answer = await get(server.port, {}, { stream: true });
    let text = '';
    for await (const chunk of answer.body) {
      text += Buffer.from(chunk).toString();
      break;
    }
    await closed.promise;
    expect(text).toBe('hello');
  });

  test('gets its own reason back when it gives up, before and during a stream', async () => {
    await using server = await serve((response) => {
      response.write('hello');
    });
    const reason = new Error('changed my mind');
    const early = get(server.port, {}, { signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);
    expect(server.seen).toEqual([]);

    const controller = new AbortController();
    const answer = await get(server.port, {}, { stream: true, signal: controller.signal });
    const read = async (): Promise<void> => {
      for await (const _chunk of answer.body) controller.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
  });

  test('frees the connection by leaving a stream or cancelling it', async () => {
    const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let streams = 0;
    await using server = await serve((response) => {
      const gone = closed[streams];
      streams += 1;
      response.on('close', () => gone?.resolve());
      response.write('hello');
    });
    const left = await get(server.port, {}, { stream: true });
    for await (const _chunk of left.body) break;
    await closed[0]?.promise;
    const cancelled = await get(server.port, {}, { stream: true });
    cancelled.cancel();
    await closed[1]?.promise;
    await expect(left.text()).rejects.toMatchObject({ code: 'invalid' });
    await expect(cancelled.text()).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('whether a request left', () => {
  test('a refused connection, an unknown name and a forbidden address never saw it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(get(port)).rejects.toMatchObject({ code: 'unreachable', wasSent: false });
    const nowhere = createEgress({ resolve: async () => [] });
    open.push(nowhere);
    await expect(nowhere.fetch('https://nowhere.test/')).rejects.toMatchObject({ wasSent: false });
    await expect(nowhere.fetch('http://127.0.0.1/')).rejects.toMatchObject({
      code: 'not_allowed',
      wasSent: false,
    });
  });

  test('a server that hangs up or says nothing may have acted on it', async () => {
    await using rude = await serve((response) => response.destroy());
    await expect(get(rude.port)).rejects.toMatchObject({ code: 'unreachable', wasSent: true });
    await using silent = await serve(() => undefined);
    await expect(get(silent.port, { totalTimeoutMs: 50 })).rejects.toMatchObject({
      code: 'timeout',
      wasSent: true,
    });
  });
});
