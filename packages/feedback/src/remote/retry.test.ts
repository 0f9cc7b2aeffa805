import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '@parley/kit/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachRemote, cut, KEY, NEW_POST, openRemote, PAGE, POST } from '../../test/remote-bed.ts';
import type { Step } from '../../test/scripted-server.ts';
import { fakeTimes, serveScript } from '../../test/scripted-server.ts';
import { createRemoteFeedback } from './index.ts';
import type { Times } from './index.ts';
import { REMOTE_LIMITS, SYSTEM_TIMES } from './retry.ts';

const SUPPORTED = { 'idempotency-supported': 'true' };
const silent: Step = () => undefined;

describe('a server that fails for a while', () => {
  const failures: [string, Step][] = [
    ['429', [429, { error: { message: 'Slow down' } }]],
    ['500', [500, { error: { message: 'Oops' } }]],
    ['a cut connection', cut],
  ];

  test.each(failures)(
    '%s twice, then an answer: three requests with waits inside the bounds',
    async (_n, step) => {
      for (const random of [0, 0.5, 0.999]) {
        const { client, seen, times } = await openRemote([step, step, PAGE], { times: fakeTimes(random) });
        expect((await client.call('search_feedback', {})).posts).toMatchObject([POST]);
        expect(seen).toHaveLength(3);
        expect(times.waits).toEqual([1000 * (0.5 + random), 2000 * (0.5 + random)]);
      }
    },
  );

  test.each(failures)('%s three times: three requests and no last wait', async (_name, step) => {
    const { client, seen, times } = await openRemote([step]);
    const outcome = await client.attempt('search_feedback', {});
    expect(outcome).toMatchObject({ ok: false });
    expect(seen).toHaveLength(3);
    expect(times.waits).toEqual([1000, 2000]);
  });

  test('what is left at the end says what to do', async () => {
    const limited = await openRemote([[429, { error: { message: 'Slow down' } }]]);
    expect(await limited.client.attempt('search_feedback', {})).toEqual({
      ok: false,
      code: 'rate_limited',
      message: 'Slow down. Try again in 4 seconds.',
      data: { retryAfterSeconds: 4 },
    });
    const broken = await openRemote([[503, '<html>down</html>']]);
    expect(await broken.client.attempt('search_feedback', {})).toMatchObject({
      code: 'unavailable',
      message: 'HTTP 503.',
    });
    const gone = await openRemote([cut]);
    expect(await gone.client.attempt('search_feedback', {})).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('broke off the connection'),
    });
    const nobody = await attachRemote(`http://127.0.0.1:${await freePort()}`, { times: fakeTimes() });
    expect(await nobody.attempt('search_feedback', {})).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('unreachable'),
    });
  });

  test.each<[string, (res: ServerResponse) => void]>([
    ['before its head', (res) => res.destroy()],
    [
      'in a body of known length',
      (res) => res.writeHead(200, { 'content-length': '999' }).write('{', () => res.destroy()),
    ],
    ['in a body of chunks', (res) => res.writeHead(200).write('{', () => res.destroy())],
    ['cleanly in a body of chunks', (res) => res.writeHead(200).write('{', () => res.socket?.end())],
  ])('an answer that is cut %s is told as cut', async (_where, step) => {
    const { client, seen } = await openRemote([step]);
    expect(await client.attempt('search_feedback', {})).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('broke off the connection'),
    });
    expect(seen).toHaveLength(3);
  });

  test.each<[string, 'untrusted' | 'plain', string]>([
    ['a certificate that nobody vouches for', 'untrusted', 'NODE_EXTRA_CA_CERTS'],
    ['a server that speaks no TLS', 'plain', 'does not speak TLS'],
  ])('%s is told as such, after one attempt', async (_name, kind, text) => {
    const origin = kind === 'plain' ? (await serveScript([PAGE])).origin : await serveUntrusted();
    const times = fakeTimes();
    const client = await attachRemote(origin.replace('http:', 'https:'), { times });
    for (const [tool, input] of [
      ['search_feedback', {}],
      ['create_post', NEW_POST],
    ] as const) {
      const outcome = await client.attempt(tool, input);
      expect(outcome).toMatchObject({ code: 'unavailable', message: expect.stringContaining(text) });
      expect(JSON.stringify(outcome)).not.toMatch(/may have been|unreachable/);
    }
    expect(times.waits).toEqual([]);
  });

  test('more attempts wait 1, 2 and 4 seconds', async () => {
    const { client, times } = await openRemote([[500]], { limits: { attempts: 4 } });
    await client.attempt('search_feedback', {});
    expect(times.waits).toEqual([1000, 2000, 4000]);
  });

  test('an attempt that takes too long is one that failed', async () => {
    const { client, seen } = await openRemote([silent, PAGE], { limits: { attemptMs: 2000 } });
    expect((await client.call('search_feedback', {})).posts).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  test('nothing is waited for past the time for all attempts', async () => {
    const { client, seen, times } = await openRemote([[429, {}, { 'retry-after': '20' }]], {
      limits: { attempts: 9 },
    });
    expect(await client.attempt('search_feedback', {})).toMatchObject({
      code: 'rate_limited',
      data: { retryAfterSeconds: 20 },
    });
    expect(times.waits).toEqual([20_000, 20_000]);
    expect(seen).toHaveLength(3);
  });
});

describe('a call of a tool ends before its client gives up', () => {
  test('the time is under the 60 seconds that most clients wait', () => {
    expect(REMOTE_LIMITS.totalMs).toBeLessThanOrEqual(50_000);
  });

  test('all requests of one call share it, and a change that was not seen again is told as open', async () => {
    const times = fakeTimes();
    const slow: Step = (res) => {
      times.pass(30_000);
      res.writeHead(200).end(JSON.stringify({ data: POST }));
    };
    const { client, seen } = await openRemote([slow], { times });
    const outcome = await client.attempt('triage_post', { postId: POST.id, officialResponse: 'Soon.' });
    expect(outcome).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/change was accepted, but it could not be read again.*in time/),
    });
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    expect((await client.attempt('search_feedback', {})).ok).toBe(false);
    expect(seen).toHaveLength(3);
  });
});

describe('Retry-After', () => {
  const date = new Date(Date.UTC(2026, 0, 1, 0, 0, 7)).toUTCString();
  test.each([
    ['2', 2000],
    ['0', 0],
    [date, 7000],
    ['-1', 1000],
    ['1.5', 1000],
    ['abc', 1000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 1000],
    ['49', 49_000],
  ])('%s', async (header, waitMs) => {
    const { client, times } = await openRemote([[503, {}, { 'retry-after': header }], PAGE]);
    await client.call('search_feedback', {});
    expect(times.waits).toEqual([waitMs]);
  });

  test.each(['50', '55', '3600'])('%s seconds are told, not waited for', async (header) => {
    const limited = await openRemote([[429, { error: 'Slow down' }, { 'retry-after': header }]]);
    expect(await limited.client.attempt('search_feedback', {})).toMatchObject({
      code: 'rate_limited',
      message: `Slow down. Try again in ${header} seconds.`,
    });
    const broken = await openRemote([[503, { error: 'Restarting' }, { 'retry-after': header }]]);
    expect(await broken.client.attempt('search_feedback', {})).toMatchObject({
      code: 'unavailable',
      message: `Restarting. The server asks to wait ${header} seconds.`,
    });
    for (const { seen, times } of [limited, broken]) {
      expect(seen).toHaveLength(1);
      expect(times.waits).toEqual([]);
    }
  });
});

describe('a caller who gives up', () => {
  const backendOf = async (origin: string, signal: AbortSignal, times?: Times) => {
    const target = { base: `${origin}/api/v1`, key: KEY };
    const feedback = createRemoteFeedback(target, { userAgent: 'test', ...(times && { times }) });
    onTestFinished(() => feedback.close());
    // The caller has no part in it.
    return feedback.backendFor({ caller: undefined as never, signal });
  };

  test.each(['request', 'body', 'wait'])(
    'ends the %s at once, sends nothing more and leaves no listener',
    async (stage) => {
      const reached = Promise.withResolvers<void>();
      const script = await serveScript([
        (res) => {
          if (stage === 'request') reached.resolve();
          if (stage === 'body') res.writeHead(200).write('{"data":', () => reached.resolve());
          if (stage === 'wait') res.writeHead(503, { 'retry-after': '40' }).end('{}');
        },
      ]);
      const controller = new AbortController();
      const backend = await backendOf(script.origin, controller.signal, {
        ...SYSTEM_TIMES,
        wait(ms, signal) {
          reached.resolve();
          return SYSTEM_TIMES.wait(ms, signal);
        },
      });
      const call = backend.search({ sort: 'newest', limit: 20 });
      await reached.promise;
      const reason = new Error('enough');
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
      expect(script.seen).toHaveLength(1);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    },
  );

  test('a call that was given up before it began sends nothing', async () => {
    const script = await serveScript([PAGE]);
    const backend = await backendOf(script.origin, AbortSignal.abort(new Error('enough')));
    await expect(backend.search({ sort: 'newest', limit: 20 })).rejects.toThrow('enough');
    expect(script.seen).toEqual([]);
  });

  test('an answer leaves no listener either', async () => {
    const { origin } = await serveScript([[500], PAGE]);
    const { signal } = new AbortController();
    const backend = await backendOf(origin, signal, fakeTimes());
    await backend.search({ sort: 'newest', limit: 20 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a POST', () => {
  const made: Step = [201, { data: POST }];

  test.each<[string, Step]>([
    ['a lost answer', cut],
    ['a 500', [500, { error: { message: 'Oops' } }]],
  ])('is not sent again after %s when repeating is not known to be safe', async (_name, step) => {
    const { client, seen } = await openRemote([step, made]);
    expect(await client.attempt('create_post', NEW_POST)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('may have been made'),
    });
    expect(seen).toHaveLength(1);
  });

  test.each<[string, Step]>([
    ['a lost answer', cut],
    ['a 500', [500, {}]],
  ])('is sent again with the same key after %s where the server supports it', async (_name, step) => {
    const posts = new Map<unknown, typeof POST>();
    const keep = (key: unknown) => posts.set(key, POST);
    const { client, seen } = await openRemote([
      [200, { data: [] }, SUPPORTED],
      (res, request) => {
        keep(request.headers['idempotency-key']);
        if (typeof step === 'function') step(res, request);
        else res.writeHead(step[0]).end('{}');
      },
      (res, request) => {
        keep(request.headers['idempotency-key']);
        res.writeHead(201).end(JSON.stringify({ data: POST }));
      },
    ]);
    await client.call('search_feedback', {});
    expect(await client.call('create_post', NEW_POST)).toMatchObject(POST);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
    expect(posts.size).toBe(1);
  });

  test('announces support in the failing answer itself', async () => {
    const { client, seen } = await openRemote([[500, {}, SUPPORTED], made]);
    expect(await client.call('create_post', NEW_POST)).toMatchObject(POST);
    expect(seen).toHaveLength(2);
  });

  test('is sent again on 429, and every call has a key of its own', async () => {
    const { client, seen } = await openRemote([[429], made]);
    await client.call('create_post', NEW_POST);
    await client.call('create_post', NEW_POST);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], expect.any(String)]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('is tried again while there is no connection, and nothing was made', async () => {
    const times = fakeTimes();
    const client = await attachRemote(`http://127.0.0.1:${await freePort()}`, { times });
    const outcome = await client.attempt('create_post', NEW_POST);
    expect(outcome).toMatchObject({
      code: 'unavailable',
      message: expect.not.stringContaining('may have been made'),
    });
    expect(times.waits).toEqual([1000, 2000]);
  });

  test('a PATCH is sent again after a lost answer', async () => {
    const { client, seen } = await openRemote([cut, [200, { data: { ...POST, tags: [] } }]]);
    await client.call('triage_post', { postId: POST.id, tagIds: [] });
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ['PATCH', '{"tagIds":[]}'],
      ['PATCH', '{"tagIds":[]}'],
    ]);
    expect(seen[0]?.headers).not.toHaveProperty('idempotency-key');
  });
});

async function serveUntrusted(): Promise<string> {
  const server = createSecureServer(makeCertificate('localhost'), (_req, res) => res.end());
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === 'object' && address !== null ? address.port : 0;
}
