/** Owns connections that are reset at every path, in every phase of a request. */
import { connect } from 'node:net';
import type { Target } from './target.ts';

/** Every kind of path that the server knows, and some that it does not. */
export const PATHS = [
  '/',
  '/health',
  '/ready',
  '/metrics',
  '/mcp',
  '/mcp/annotations',
  '/mcp/feedback',
  '/mcp/tasks',
  '/mcp/nothing',
  '/__parley/socket',
  '/__parley/events',
  '/__parley/messages',
  '/__parley/screenshots',
  '/__parley/overlay.js',
  '/api/v1/posts',
  '/api/v1/stream',
  '/api/v1/docs',
  '/api/public/boards',
  '/feedback',
  '/feedback/boards/ideas',
  '/changelog.xml',
  '/favicon.ico',
  '/.well-known/oauth-protected-resource',
  '/nothing',
] as const;

type Opening = (path: string, key: string) => string;

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines].join('\r\n');
const bearer = (key: string) => `Authorization: Bearer ${key}`;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];
const SOCKET_KEY = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];

/** What is sent before the reset. */
const OPENINGS: readonly Opening[] = [
  (path) => `${head('GET', path)}\r\n\r\n`,
  (path) => `${head('GET', path, ...UPGRADE)}\r\n\r\n`,
  (path) => `${head('GET', path, ...UPGRADE, ...SOCKET_KEY, 'Origin: http://localhost')}\r\n\r\n\u0081\u0005`,
  (path) => head('GET', path, 'X-Half: 1'),
  (path, key) => `${head('GET', path, bearer(key))}\r\n\r\n`,
  (path, key) =>
    `${head('POST', path, bearer(key), 'Content-Type: application/json', 'Content-Length: 100000')}\r\n\r\n{"jsonrpc"`,
  (path, key) =>
    `${head('POST', path, bearer(key), 'Content-Type: application/json', 'Transfer-Encoding: chunked')}\r\n\r\n10\r\n{"a"`,
  (path) =>
    `${head('POST', path, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 9')}\r\n\r\na=`,
  (path) => `${head('BREW', path)}\r\n\r\n`,
];

const AT_ONCE = 50;

/** Resets `perPath` connections at every path; resolves when the last one is gone. */
export async function resetEverywhere(target: Target, perPath: number): Promise<number> {
  const jobs = PATHS.flatMap((path) => Array.from({ length: perPath }, (_, index) => ({ path, index })));
  let next = 0;
  const work = async () => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const { path, index } = job;
      const opening = OPENINGS[index % OPENINGS.length];
      const key = target.keys[index % target.keys.length] ?? '';
      await resetOne(target.port, opening?.(path, key) ?? '', index % 2 === 0);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return jobs.length;
}

function resetOne(port: number, text: string, isReset: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text, 'latin1', () => {
        if (isReset) socket.resetAndDestroy();
        else socket.destroy();
      });
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}
