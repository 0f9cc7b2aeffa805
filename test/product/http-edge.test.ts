/** The edge of the port: hosts, paths, encodings, broken requests and slow ones, at every prefix. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
  await runParley(['feedback', 'publish', 'on', '--data', folder.path]);
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const PREFIXES = [
  '/',
  '/mcp',
  '/health',
  '/metrics',
  '/api/v1/posts',
  '/api/public/boards',
  '/feedback',
  '/changelog.xml',
  '/__parley/events',
];

function dial(to: Server): Socket {
  return connect(Number(new URL(to.url).port), '127.0.0.1').on('error', () => undefined);
}

/** Everything that comes back until the server closes the connection. */
function rawAnswer(head: string, headers: Record<string, string> = {}, body = ''): Promise<string> {
  return answerTo(requestText(head, headers) + body);
}

function requestText(head: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: new URL(server.url).host, connection: 'close', ...headers });
  return `${head} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** The same, of what comes whole, or with one more letter each second until there is an answer. */
async function answerTo(text: string, { isSlow = false } = {}): Promise<string> {
  const socket = dial(server);
  const dripping = isSlow ? setInterval(() => socket.write('l'), 1_000) : undefined;
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    clearInterval(dripping);
    answer += part;
  });
  socket.write(text);
  await once(socket, 'close');
  clearInterval(dripping);
  return answer;
}

const statusOf = (answer: string) => Number(answer.slice(9, 12));
const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);
const withKey = () => ({ authorization: `Bearer ${server.key}` });

describe('a Host', () => {
  test.each([
    'localhost:65536',
    'localhost:99999',
    '127.0.0.1:70000',
    '[::1]:99999',
    'localhost:123456',
    'localhost:',
    'localhost:-1',
  ])('of %s is refused everywhere, and is no fault', async (host) => {
    for (const path of PREFIXES) {
      const answer = await rawAnswer(`GET ${path}`, { host, ...withKey() });
      expect([path, statusOf(answer)]).toEqual([path, 403]);
    }
    expect(server.stderr()).not.toContain('"fault"');
  });

  test('with any real port passes', async () => {
    for (const host of ['localhost:65535', 'localhost:1', 'localhost'])
      expect(statusOf(await rawAnswer('GET /health', { host }))).toBe(200);
  });
});

/** Every surface with a request that it takes from a program or page of this machine. */
const SURFACES: Readonly<
  Record<string, { head: string; headers: () => Record<string, string>; body: string }>
> = {
  mcp: {
    head: 'POST /mcp',
    headers: () => ({ ...withKey(), 'content-type': 'application/json' }),
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  },
  api: { head: 'GET /api/v1/tags', headers: withKey, body: '' },
  'public api': { head: 'GET /api/public/boards', headers: () => ({}), body: '' },
  pages: { head: 'GET /feedback', headers: () => ({}), body: '' },
  feed: { head: 'GET /changelog.xml', headers: () => ({}), body: '' },
  probe: { head: 'GET /health', headers: () => ({}), body: '' },
  link: { head: 'OPTIONS /__parley/messages', headers: () => ({}), body: '' },
};

/** The link is spoken to by every page of this machine; every other surface by its own pages alone. */
const NAMES: readonly { host: string; origin?: string; others: 'in' | 'out'; link: 'in' | 'out' }[] = [
  { host: 'localhost:80', origin: 'http://localhost:80', others: 'in', link: 'in' },
  { host: 'LocalHost', origin: 'https://LocalHost', others: 'in', link: 'in' },
  { host: '127.0.0.1', origin: 'http://127.0.0.1', others: 'in', link: 'in' },
  { host: '127.9.8.7:1', origin: 'http://127.9.8.7:1', others: 'in', link: 'in' },
  { host: '[::1]:5', origin: 'http://[::1]:5', others: 'in', link: 'in' },
  { host: 'app.localhost:3', origin: 'http://app.localhost:3', others: 'in', link: 'in' },
  { host: 'localhost', origin: 'http://localhost:5173', others: 'out', link: 'in' },
  { host: 'localhost', origin: 'http://app.localhost:5173', others: 'out', link: 'in' },
  { host: 'localhost', origin: 'http://127.0.0.1:5173', others: 'out', link: 'in' },
  { host: 'localhost', others: 'in', link: 'out' },
  { host: 'localhost', origin: 'null', others: 'out', link: 'out' },
  { host: 'localhost', origin: 'https://evil.example', others: 'out', link: 'out' },
  { host: 'localhost', origin: 'http://localhost.evil.example', others: 'out', link: 'out' },
  { host: 'localhost', origin: 'http://evil-localhost', others: 'out', link: 'out' },
  { host: 'localhost', origin: 'http://127.0.0.1.evil.example', others: 'out', link: 'out' },
  { host: 'localhost', origin: 'file://localhost', others: 'out', link: 'out' },
  { host: 'localhost', origin: 'http://localhost:99999', others: 'out', link: 'out' },
  { host: 'evil.example', origin: 'http://evil.example', others: 'out', link: 'out' },
  { host: 'evil.localhost.example', others: 'out', link: 'out' },
  { host: 'evillocalhost', others: 'out', link: 'out' },
  { host: '128.0.0.1', others: 'out', link: 'out' },
  { host: '127.0.0.1.evil.example', others: 'out', link: 'out' },
  { host: '[::2]', others: 'out', link: 'out' },
  { host: '0.0.0.0', others: 'out', link: 'out' },
];

describe.each(NAMES)('check 27: Host $host with Origin $origin', ({ host, origin, others, link }) => {
  test.each(Object.entries(SURFACES))('at %s', async (surface, { head, headers, body }) => {
    const names = { host, ...(origin !== undefined && { origin }) };
    const length: Record<string, string> = body === '' ? {} : { 'content-length': String(body.length) };
    const answer = await rawAnswer(head, { ...headers(), ...length, ...names }, body);
    const isIn = (surface === 'link' ? link : others) === 'in';
    expect(statusOf(answer) === 403).toBe(!isIn);
    expect(statusOf(answer)).toBeLessThan(500);
    if (!isIn) expect(bodyOf(answer)).toMatch(/--allow-(host|origin)|needs an Origin header/);
  });
});

describe('a path', () => {
  test.each([
    '/feedback/..//evil.co/boards/ideas',
    '/feedback//evil.co/boards/ideas',
    '/feedback/../mcp',
    '/feedback/./roadmap',
    '/feedback/%2e%2e//evil.co/boards',
    '/feedback/.%2E/roadmap',
    '/feedback/..',
    String.raw`/feedback/..\evil.co`,
    String.raw`/feedback\..\x`,
    '//evil.co/feedback',
    '/api/v1/../v1/posts',
    '/api/v1//posts',
    '/api/public/../public/boards',
    '/changelog.xml/..',
    '/mcp/../mcp',
    '/mcp//parley',
    '/health/../health',
    '/./',
    'http://evil.co/feedback',
    '/api/v1/posts/',
    '/api/v1/posts/x/votes/',
    '/api/v1/boards/',
    '/api/v1/',
    '/api/public/boards/',
    '/changelog.xml/',
    '/health/',
  ])('%s that means different things to different readers is 404', async (path) => {
    const answer = await rawAnswer(`GET ${path}`, withKey());
    expect(statusOf(answer)).toBe(404);
    expect(answer).not.toContain('href="//evil.co');
    expect(answer).not.toContain('action="//evil.co');
  });

  test('with dots and percent signs inside its segments is as good as any', async () => {
    for (const path of [
      '/feedback/style.css',
      '/feedback?a=//b/../c',
      '/health?x=..',
      '/feedback/roadmap?x=%2e%2e/',
    ])
      expect([path, statusOf(await rawAnswer(`GET ${path}`))]).toEqual([path, 200]);
    expect(statusOf(await rawAnswer('GET /api/v1/posts/a..b', withKey()))).not.toBe(500);
  });
});

describe('a body', () => {
  const chunked = '2\r\n{}\r\n0\r\n\r\n';
  const origin = () => ({ origin: new URL(server.url).origin });
  const readers = (): [string, Record<string, string>][] => [
    ['/mcp', { ...withKey(), 'content-type': 'application/json' }],
    ['/api/v1/posts', { ...withKey(), 'content-type': 'application/json' }],
    ['/feedback/sign-in', { ...origin(), 'content-type': 'application/x-www-form-urlencoded' }],
    ['/__parley/messages', { ...origin(), 'content-type': 'application/json' }],
  ];

  test.each(['gzip, chunked', 'deflate, chunked', 'GZIP,chunked'])(
    'that was sent with the transfer coding %s is refused, whoever reads it',
    async (encoding) => {
      for (const [path, headers] of readers()) {
        const answer = await rawAnswer(
          `POST ${path}`,
          { ...headers, 'transfer-encoding': encoding },
          chunked,
        );
        expect([path, statusOf(answer)]).toEqual([path, 415]);
      }
    },
  );

  test('in plain chunks is read', async () => {
    for (const [path, headers] of readers()) {
      const answer = await rawAnswer(`POST ${path}`, { ...headers, 'transfer-encoding': 'Chunked' }, chunked);
      expect([path, statusOf(answer)]).not.toEqual([path, 415]);
    }
  });

  test('check 4: that comes a byte a second is given up after 30 s, and headers after 10 s, at every reader', async () => {
    const startedMs = performance.now();
    // At least so long: a busy machine takes longer, and the test would end before the times of Node.
    const secondsUntilNow = () => Math.round((performance.now() - startedMs) / 1000);
    const slow = readers().map(async ([path, headers]) => {
      const text = `${requestText(`POST ${path}`, { ...headers, 'content-length': '1000' })}{"half":"`;
      const answer = await answerTo(text, { isSlow: true });
      return { path, status: statusOf(answer), seconds: secondsUntilNow() };
    });
    const headAnswer = await answerTo('POST /mcp HTTP/1.1\r\nHost: l', { isSlow: true });
    expect(secondsUntilNow()).toBeGreaterThanOrEqual(10);
    expect(statusOf(headAnswer)).toBe(408);
    // Others are served while bodies still come.
    expect(statusOf(await rawAnswer('GET /health'))).toBe(200);
    for (const { path, status, seconds } of await Promise.all(slow)) {
      expect([path, status]).toEqual([path, 408]);
      expect(seconds).toBeGreaterThanOrEqual(30);
    }
  });
});

describe('a request that Node itself refuses', () => {
  test.each([
    [
      '/api/v1/posts',
      '{"error":{"code":"HEADERS_TOO_LARGE","message":"Request Header Fields Too Large"},"message":"Request Header Fields Too Large"}',
    ],
    [
      '/mcp',
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Request Header Fields Too Large"},"id":null}',
    ],
  ])('for its headers is answered in the form of %s', async (path, body) => {
    const answer = await rawAnswer(`GET ${path}`, { ...withKey(), 'x-junk': 'j'.repeat(17 * 1024) });
    expect([statusOf(answer), bodyOf(answer)]).toEqual([431, body]);
  });

  test.each([
    ['/api/v1/posts?a=1', '{"error":{"code":"BAD_REQUEST","message":"Bad Request"},"message":"Bad Request"}'],
    ['/apis/v10', '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Bad Request"},"id":null}'],
    ['/mcp', '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Bad Request"},"id":null}'],
  ])('for an unknown method is answered in the form of %s', async (path, body) => {
    const answer = await rawAnswer(`FROBNICATE ${path}`, withKey());
    expect([statusOf(answer), bodyOf(answer)]).toEqual([400, body]);
  });
});

/** How each surface writes a refusal. */
const FORMS: Readonly<Record<string, (message: string) => RegExp>> = {
  '/api/v1/posts': (message) => new RegExp(`^\\{"error":\\{"code":"[A-Z_]+","message":"${message}`),
  '/api/public/boards': (message) => new RegExp(`^\\{"error":\\{"code":"[A-Z_]+","message":"${message}`),
  '/changelog.xml': (message) => new RegExp(`^\\{"error":\\{"code":"[A-Z_]+","message":"${message}`),
  '/feedback': (message) => new RegExp(`^<!doctype html>[^]*<p>${message}`, 'i'),
  '/__parley/events': (message) =>
    new RegExp(`\\{"type":"error","payload":\\{"code":"[a-z]+","message":"${message}`),
  '/mcp': (message) => new RegExp(`^\\{"jsonrpc":"2.0","error":\\{"code":-32600,"message":"${message}`),
  '/nowhere': (message) => new RegExp(`^\\{"jsonrpc":"2.0","error":\\{"code":-32600,"message":"${message}`),
};

describe.each(Object.entries(FORMS))('a request to %s that no surface takes', (path, form) => {
  const raw = async (request: string) => {
    const socket = dial(server);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.write(request);
    await once(socket, 'close');
    return answer;
  };

  test.each<[string, number, string, string]>([
    [
      'without a Host',
      400,
      'A request needs a Host header',
      `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    ],
    [
      'that expects what nobody does',
      417,
      'Expect: only 100-continue',
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle\r\n\r\n`,
    ],
    ['with an unknown method', 400, 'Bad Request', `FROBNICATE ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    [
      'with headers that are too long',
      431,
      'Request Header Fields Too Large',
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
    ],
  ])('%s is answered in its form', async (_, status, message, request) => {
    const answer = await raw(request);
    expect(statusOf(answer)).toBe(status);
    expect(bodyOf(answer)).toMatch(form(message));
  });

  test('for a WebSocket that is not spoken there is 400 in its form', async () => {
    const offer = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    const answer = await raw(offer);
    expect(statusOf(answer)).toBe(400);
    expect(bodyOf(answer)).toMatch(form('WebSocket is not spoken at this URL'));
  });
});

test('a body that breaks in the middle is answered in the form of its surface', async () => {
  const head = `POST /api/v1/posts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const socket = dial(server);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.write(`${head}2\r\n{"\r\n`);
  const closed = once(socket, 'close');
  // Once another request is answered, the first part of this one is read.
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  socket.write('zz\r\n');
  await closed;
  expect(statusOf(answer)).toBe(400);
  expect(bodyOf(answer)).toContain('{"error":{"code":"BAD_REQUEST","message":"Bad Request"}');
});

test('an Idempotency-Key that comes twice is refused', async () => {
  const socket = dial(server);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.write(
    `POST /api/v1/tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 14\r\n\r\n{"name":"Two"}`,
  );
  await once(socket, 'close');
  expect(statusOf(answer)).toBe(400);
  expect(bodyOf(answer)).toContain('The header idempotency-key must appear once.');
});

test.each([
  ['/feedback/../api/v1', '/feedback'],
  ['/feedback/..', '/feedback'],
  ['/feedback/%2e%2e/mcp', '/feedback'],
  ['/feedback/a/../../x', '/feedback'],
  ['/feedback/./roadmap?x=../y', '/feedback/roadmap?x=../y'],
  ['/feedback/a/../roadmap', '/feedback/roadmap'],
  ['/feedbackx', '/feedback'],
  ['//evil.co/feedback', '/feedback'],
  ['/feedback/roadmap', '/feedback/roadmap'],
])('whoever signs in at next=%s goes to %s', async (next, place) => {
  const answer = await fetch(`${server.url}/feedback/sign-in`, {
    method: 'POST',
    headers: { origin: new URL(server.url).origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ name: 'Vera', next }),
    redirect: 'manual',
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, place]);
});

test('connections beyond the limit are closed at once; one that ends makes room', async () => {
  using small = scratchFolder();
  await using limited = await startParley(small.path, { args: ['--connections', '3'] });
  const ask = async (socket: Socket) => {
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return statusOf(answer.toString('latin1'));
  };
  const held = [dial(limited), dial(limited), dial(limited)];
  for (const socket of held) expect(await ask(socket)).toBe(200);
  const excess = dial(limited);
  await once(excess, 'close');
  for (const socket of held) expect(await ask(socket)).toBe(200);
  held[0]?.destroy();
  // The server learns of the end a moment later.
  await expect
    .poll(async () => (await fetch(`${limited.url}/health`).catch(() => undefined))?.status)
    .toBe(200);
  for (const socket of held) socket.destroy();
});
