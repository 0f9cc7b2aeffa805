/** Connections that vanish: at every prefix, in every part of a request, with and without an upgrade offer. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
  // Forms are read only where pages are published.
  await runParley(['feedback', 'publish', 'on', '--data', folder.path]);
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const PATHS = [
  '/',
  '/mcp',
  '/mcp/parley',
  '/health',
  '/ready',
  '/metrics',
  '/api/v1',
  '/api/v1/posts',
  '/api/v1/stream',
  '/api/public',
  '/api/public/boards',
  '/feedback',
  '/feedback/roadmap',
  '/feedback/sign-in',
  '/feedback/style.css',
  '/changelog.xml',
  '/__parley',
  '/__parley/socket',
  '/__parley/events',
  '/__parley/messages',
  '/nowhere',
  '/favicon.ico',
  '/.well-known/oauth-protected-resource',
];

/** The words of a request up to where it is cut off. */
const REQUESTS: Readonly<Record<string, (path: string, host: string) => string>> = {
  'a whole request': (path, host) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  'a WebSocket offer': (path, host) => offer(path, host, 'websocket'),
  'a WebSocket offer with a key for it': (path, host) =>
    offer(path, host, 'websocket', {
      origin: `http://${host}`,
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }),
  'a WebSocket offer to a foreign Host': (path) => offer(path, 'evil.example', 'websocket'),
  'another offer': (path, host) => offer(path, host, 'h2c'),
  'half of the headers': (path, host) => `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Ty`,
  'half of a body': (path, host) =>
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc":`,
  'half of a form': (path, host) =>
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nname=`,
  'a body that is no chunk': (path, host) =>
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
};

function offer(path: string, host: string, upgrade: string, more: Record<string, string> = {}): string {
  const headers = { host, connection: 'Upgrade', upgrade, ...more };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** How the client leaves. */
const ENDINGS: Readonly<Record<string, (socket: Socket) => void>> = {
  'a reset': (socket) => socket.resetAndDestroy(),
  'a close with the answer unread': (socket) => socket.destroy(),
};

async function leave(text: string, end: (socket: Socket) => void): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  // What the client hears at its end of a broken connection is not looked at.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(text, () => end(socket));
  await closed;
}

describe.each(Object.keys(ENDINGS))('%s', (ending) => {
  test.each(Object.keys(REQUESTS))('after %s does not stop the process, at any path', async (name) => {
    const host = new URL(server.url).host;
    for (const path of PATHS) {
      const text = REQUESTS[name]?.(path, host) ?? '';
      for (let round = 0; round < 3; round += 1) await leave(text, ENDINGS[ending] ?? (() => undefined));
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(server.child.exitCode).toBeNull();
  });
});

describe('an upgrade offer', () => {
  test.each([
    ['/feedback', 400],
    ['/api/public/boards', 400],
    ['/changelog.xml', 400],
    ['/mcp', 400],
    ['/health', 400],
    ['/nowhere', 400],
    ['/__parley/nowhere', 400],
  ])('of WebSocket at %s is refused with %i, and the connection ends', async (path, status) => {
    const answer = await rawAnswer(offer(path, new URL(server.url).host, 'websocket'));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test('below /api/v1 is refused in the form of the API', async () => {
    const answer = await rawAnswer(offer('/api/v1/posts', new URL(server.url).host, 'websocket'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(
      '{"error":{"code":"BAD_REQUEST","message":"WebSocket is not spoken at this URL."},"message":"WebSocket is not spoken at this URL."}',
    );
  });

  test.each(['/feedback', '/api/v1/posts', '/mcp', '/nowhere', '/__parley/socket'])(
    'from a foreign Host or Origin is refused at %s before anything else',
    async (path) => {
      expect(await rawAnswer(offer(path, 'evil.example', 'websocket'))).toMatch(/^HTTP\/1\.1 403 /);
      const origin = { origin: 'https://evil.example' };
      const host = new URL(server.url).host;
      expect(await rawAnswer(offer(path, host, 'websocket', origin))).toMatch(/^HTTP\/1\.1 403 /);
    },
  );

  test('of another protocol is answered as if it had not been made', async () => {
    const answer = await rawAnswer(
      offer('/health', new URL(server.url).host, 'h2c', { connection: 'close, Upgrade' }),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('what was broken before left no fault in the log, and calls work', async () => {
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  expect(server.stderr()).not.toContain('"fault"');
});

async function rawAnswer(text: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text));
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
  await once(socket, 'close');
  return answer;
}
