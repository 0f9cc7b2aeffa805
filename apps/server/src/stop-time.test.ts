import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import type { Gateway } from '@parley/gateway';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from './config.ts';
import type { HttpServer } from './http.ts';
import { createHttpServer } from './http.ts';
import type { Probes } from './probes.ts';

test('a connection on which nothing came is closed, whether or not Node takes it for busy', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const server = startServer(async () => undefined);
  const { port, hostname } = new URL(await server.listen());
  const socket = createConnection({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await server.stopAccepting();
  const finished = server.finish();
  await vi.advanceTimersByTimeAsync(500);
  vi.useRealTimers();
  await finished;
  expect(await closed).toEqual([false]);
});

test('a running request learns that its answer is the last one on its connection', async () => {
  const reached = Promise.withResolvers<ServerResponse>();
  const server = startServer(async (_req, res) => reached.resolve(res));
  const { port, hostname } = new URL(await server.listen());
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n');
  const response = await reached.promise;
  server.letGo();
  const data = once(socket, 'data');
  response.end();
  expect(String((await data)[0])).toMatch(/\r\nconnection: close\r\n/i);
  await server.stopAccepting();
  await server.finish();
});

function startServer(handle: Gateway['handle']): HttpServer {
  const gateway = { handle, checkDoor: () => undefined } as unknown as Gateway;
  return createHttpServer({
    config: loadConfig(['--port', '0'], { env: {} }).config,
    gateway,
    probes: { handle } as unknown as Probes,
    routes: [],
    onRequest: () => undefined,
    onCut: () => undefined,
    onFault: () => undefined,
  });
}

test('a request that never ends gets the time of one stop, however many steps wait in it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const reached = Promise.withResolvers<void>();
  const handle = () => {
    reached.resolve();
    return new Promise<void>(() => undefined);
  };
  const server = startServer(handle);
  const { port, hostname } = new URL(await server.listen());
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{');
  await reached.promise;

  await server.stopAccepting();
  let isAnswered = false;
  const answered = server.answered().then(() => (isAnswered = true));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await answered;
  const closed = once(socket, 'close');
  let isFinished = false;
  const finished = server.finish().then(() => (isFinished = true));
  await vi.advanceTimersByTimeAsync(499);
  expect(isFinished).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  await eventually(() => expect(isFinished).toBe(true));
  await Promise.all([closed, finished]);
});
