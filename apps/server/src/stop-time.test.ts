import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Gateway } from '@parley/gateway';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from './config.ts';
import { createHttpServer } from './http.ts';
import type { Probes } from './probes.ts';

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
  const gateway = { handle, checkDoor: () => undefined } as unknown as Gateway;
  const probes = { handle } as unknown as Probes;
  const server = createHttpServer({
    config: loadConfig(['--port', '0'], { env: {} }).config,
    gateway,
    probes,
    routes: [],
    onRequest: () => undefined,
    onFault: () => undefined,
  });
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
