/** Pipelined requests at the port: one client that asks for everything at once keeps nobody else waiting. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import type { Server } from './parley.ts';
import { scratchFolder, startParley } from './parley.ts';

const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  // The limit on reads would hide what the line itself does.
  server = await startParley(folder.path, { args: ['--demo', '--page-rate', '1000000'] });
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

function dial(): Socket {
  return connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

async function everything(...parts: readonly string[]): Promise<string> {
  const socket = dial();
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  socket.write(parts.join(''));
  await once(socket, 'close');
  return text;
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

/** Resident memory of the server in MB, where the system tells it. */
function memoryMb(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test('a client that asks 4,000 times in one write and never reads holds neither the server nor its memory', async () => {
  const beforeMb = memoryMb() ?? 0;
  const socket = dial().pause();
  socket.write(get('/api/public/posts?limit=100').repeat(4000));
  const startedMs = performance.now();
  for (let turn = 0; turn < 20; turn += 1)
    expect((await fetch(`${server.url}/api/public/boards`)).status).toBe(200);
  // Without the line it is about 20 s before the first of these is answered, and more than a gigabyte.
  expect(performance.now() - startedMs).toBeLessThan(8000);
  expect((memoryMb() ?? 0) - beforeMb).toBeLessThan(400);
  socket.destroy();
});

describe('behind a request that is not answered yet', () => {
  test('a WebSocket offer is not taken up, and no answer is mixed into the one that is due', async () => {
    const offer = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    for (const path of ['/__parley/socket', '/nowhere']) {
      const text = await everything(get('/api/public/posts?limit=100'), get(path, offer));
      expect(statusesIn(text).filter((status) => status !== '200')).toEqual([]);
    }
  });

  test('bytes that are no request get no answer in place of the one that is due', async () => {
    const text = await everything(get('/api/public/posts?limit=100'), 'NONSENSE\r\n\r\n');
    expect(statusesIn(text).filter((status) => status !== '200')).toEqual([]);
  });

  test('every other request is answered in its order', async () => {
    const text = await everything(
      get('/health'),
      get('/feedback/no-such-page'),
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}',
      get('/ready'),
      get('/api/v1/posts'),
      get('/health', 'Connection: close\r\n'),
    );
    expect(statusesIn(text)).toEqual(['200', '404', '401', '200', '401', '200']);
  });
});
