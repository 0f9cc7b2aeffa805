/** Owns the promise that a line guards as a fetch does, although it does not check each request anew. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { eventually } from '@parley/test-support/eventually';
import { serveForTest } from '@parley/test-support/scripted-server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MOST_SOCKETS } from './connections.ts';
import { createEgress } from './egress.ts';
import type { LineRequest } from './line.ts';
import type { EgressPolicy } from './policy.ts';
import { scriptResolver } from './testing/scripted-resolver.ts';

const request = (changes: Partial<LineRequest> = {}): LineRequest => ({
  method: 'GET',
  headers: {},
  limitMs: 10_000,
  idleMs: 10_000,
  maxBytes: 1_000,
  ...changes,
});

function lineTo(url: string, policy: EgressPolicy = {}, allow: readonly string[] = []) {
  const egress = createEgress(policy);
  onTestFinished(() => egress.close());
  return egress.line(url, { allow });
}

describe('a check', () => {
  test('is remembered for moments, and then made again', async () => {
    const server = await serveForTest((_request, response) => response.end('hello'));
    const { resolve, lookups } = scriptResolver({
      'name.test': [['127.0.0.1'], ['127.0.0.1'], ['169.254.169.254']],
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const line = lineTo(`http://name.test:${server.port}/`, { resolve }, ['name.test']);
    expect(await Promise.all([line.send(request()), line.send(request())])).toMatchObject([
      { text: 'hello' },
      { text: 'hello' },
    ]);
    await line.send(request());
    expect(lookups).toHaveLength(1);
    vi.advanceTimersByTime(5_001);
    await line.send(request());
    expect(lookups).toHaveLength(2);
    vi.advanceTimersByTime(5_001);
    await expect(line.send(request())).rejects.toMatchObject({ code: 'not_allowed', wasSent: false });
    expect(server.seen).toHaveLength(4);
  });

  test('is that of this use alone', async () => {
    const server = await serveForTest((_request, response) => response.end());
    const egress = createEgress();
    onTestFinished(() => egress.close());
    await egress.line(server.origin, { allow: [server.host] }).send(request());
    await expect(egress.line(server.origin).send(request())).rejects.toMatchObject({ code: 'not_allowed' });
    const metadata = egress.line('http://169.254.169.254/', { allow: ['169.254.169.254'] });
    await expect(metadata.send(request())).rejects.toMatchObject({ code: 'not_allowed' });
    expect(() => egress.line('file:///etc/passwd')).toThrow('not allowed');
    expect(server.seen).toHaveLength(1);
  });
});

describe('a request', () => {
  test('never follows, and gives the answer as it is', async () => {
    const server = await serveForTest((_request, response) =>
      response.writeHead(302, { location: '/2' }).end('x'),
    );
    const answer = await lineTo(`${server.origin}/1?q=1`, {}, ['127.0.0.1']).send(request());
    expect(answer).toMatchObject({ status: 302, headers: { location: '/2' }, text: 'x' });
    expect(server.seen.map(({ url }) => url)).toEqual(['/1?q=1']);
  });

  test.each(['host', 'content-length', 'transfer-encoding', 'connection'])('cannot set %s', async (name) => {
    const line = lineTo('http://127.0.0.1:1/', {}, ['127.0.0.1']);
    await expect(line.send(request({ headers: { [name]: '1' } }))).rejects.toMatchObject({ code: 'invalid' });
  });

  test('that cannot be written is refused before it leaves', async () => {
    const server = await serveForTest((_request, response) => response.end());
    const line = lineTo(server.origin, {}, ['127.0.0.1']);
    await expect(line.send(request({ headers: { 'x-a': 'a\r\nb: c' } }))).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(server.seen).toEqual([]);
  });

  test('knows whether it had left', async () => {
    const dead = lineTo('http://127.0.0.1:1/', {}, ['127.0.0.1']);
    await expect(dead.send(request())).rejects.toMatchObject({ code: 'unreachable', wasSent: false });
    const server = await serveForTest((_request, response) => response.destroy());
    const line = lineTo(server.origin, {}, ['127.0.0.1']);
    await expect(line.send(request())).rejects.toMatchObject({ code: 'unreachable', wasSent: true });
  });

  test('ends with its signal, also before it has left', async () => {
    const server = await serveForTest(() => undefined);
    const line = lineTo(server.origin, {}, ['127.0.0.1']);
    const reason = new Error('enough');
    await expect(line.send(request({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const stop = new AbortController();
    const first = line.send(request({ signal: stop.signal }));
    stop.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(server.seen).toEqual([]);
  });
});

describe('a body', () => {
  test.each([
    ['plain', {}, (text: string) => text],
    ['compressed', { 'content-encoding': 'gzip' }, gzipSync],
  ])('that is %s is capped', async (_name, headers, encode) => {
    const server = await serveForTest(({ url }, response) => {
      const text = url === '/small' ? 'x'.repeat(1_000) : 'x'.repeat(1_001);
      response.writeHead(200, headers).end(encode(text));
    });
    const send = (path: string) => lineTo(server.origin + path, {}, ['127.0.0.1']).send(request());
    expect((await send('/small')).text).toHaveLength(1_000);
    await expect(send('/large')).rejects.toMatchObject({ code: 'too_large' });
  });

  test('that grows out of proportion is ended', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const server = await serveForTest((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    let seenBytes = 0;
    const readerFor = () => ({
      read: (chunk: Uint8Array) => {
        seenBytes += chunk.byteLength;
        return false;
      },
    });
    const work = lineTo(server.origin, {}, ['127.0.0.1']).send(request({ readerFor }));
    await expect(work).rejects.toMatchObject({ code: 'too_large' });
    expect(seenBytes).toBeLessThan(2 * 1024 * 1024);
  });

  test('goes to a reader, which has enough when it says so', async () => {
    const server = await serveForTest((_request, response) => {
      response.writeHead(200);
      response.write('one');
    });
    const line = lineTo(server.origin, {}, ['127.0.0.1']);
    const chunks: string[] = [];
    const readerFor = () => ({
      read: (chunk: Uint8Array) => chunks.push(Buffer.from(chunk).toString()) === 1,
    });
    expect(await line.send(request({ readerFor }))).toMatchObject({ status: 200, text: '' });
    expect(chunks).toEqual(['one']);
    const fails = () => ({
      read: () => {
        throw new Error('no');
      },
    });
    await expect(line.send(request({ readerFor: fails }))).rejects.toThrow('no');
  });

  test('that falls silent is ended, unless the reader has the server wait', async () => {
    const server = await serveForTest((_request, response) => {
      response.writeHead(200);
      response.write('one');
    });
    const line = lineTo(server.origin, {}, ['127.0.0.1']);
    await expect(line.send(request({ idleMs: 50 }))).rejects.toMatchObject({
      code: 'timeout',
      wasSent: true,
    });
    let looks = 0;
    const heldUpUntilMs = () => ((looks += 1) < 5 ? performance.now() : 0);
    const readerFor = () => ({ read: () => false, heldUpUntilMs });
    await expect(line.send(request({ idleMs: 50, readerFor }))).rejects.toMatchObject({ code: 'timeout' });
    expect(looks).toBe(5);
  });
});

describe('sockets', () => {
  /** A server that holds every answer, and counts its connections. */
  async function holding() {
    const held: ServerResponse[] = [];
    const sockets = new Set<unknown>();
    const server = await serveForTest((_request, response) => {
      sockets.add(response.socket);
      held.push(response);
    });
    const egress = createEgress({ allow: ['127.0.0.1'] });
    onTestFinished(() => egress.close());
    const release = () => {
      for (const response of held.splice(0)) response.end('late');
    };
    return { server, egress, held, sockets, release };
  }

  test('are few for many calls, which all get their turn', async () => {
    const { server, egress, held, sockets, release } = await holding();
    const line = egress.line(server.origin, { owner: 'a' });
    const calls = Array.from({ length: 300 }, () => line.send(request()));
    let isOver = false;
    const all = Promise.all(calls).finally(() => (isOver = true));
    await eventually(() => expect(held).toHaveLength(MOST_SOCKETS.call));
    await eventually(() => {
      release();
      expect(isOver).toBe(true);
    });
    expect((await all).every(({ text }) => text === 'late')).toBe(true);
    expect(sockets.size).toBe(MOST_SOCKETS.call);
  });

  test('of calls, of words beside them, of streams and of other owners are not taken from each other', async () => {
    const { server, egress, held, release } = await holding();
    const [line, other] = [
      egress.line(server.origin, { owner: 'a' }),
      egress.line(server.origin, { owner: 'b' }),
    ];
    const calls = Promise.allSettled(Array.from({ length: 100 }, () => line.send(request())));
    await eventually(() => expect(held).toHaveLength(MOST_SOCKETS.call));
    held.length = 0;
    const more = [
      line.send(request({ lane: 'aside' })),
      line.send(request({ lane: 'stream' })),
      other.send(request()),
    ];
    await eventually(() => expect(held).toHaveLength(3));
    release();
    expect(await Promise.all(more)).toHaveLength(3);
    await egress.close();
    expect((await calls).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('that cannot be opened leave nobody waiting', async () => {
    const { egress } = await holding();
    const line = egress.line('http://127.0.0.1:1/');
    const calls = await Promise.allSettled(Array.from({ length: 300 }, () => line.send(request())));
    for (const call of calls)
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'unreachable', wasSent: false } });
  });
});
