/** Answers that are not read: cut when nothing is taken, or when there is too much of them; whoever reads is left alone. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SlowReaderLimits } from './slow-readers.ts';
import { cutSlowReaders } from './slow-readers.ts';

const BODY = 'x'.repeat(16 * 1024 * 1024);
let server: Server;
let open = 0;
let waiting = 0;

beforeEach(() => {
  open = 0;
  waiting = 0;
  server = createServer((_req, res) => res.end(BODY));
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(limits: Partial<SlowReaderLimits>): Promise<void> {
  cutSlowReaders(server, { waitingOn: () => waiting }, limits);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** An answer whose body nobody reads yet. */
async function ask(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const req = request({ host: '127.0.0.1', port, agent: false });
  req.on('error', () => undefined).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  return res.on('error', () => undefined);
}

test('an answer of which nothing is taken is cut', async () => {
  await listen({ patienceMs: 1000 });
  await ask();
  await eventually(() => expect(open).toBe(0));
});

test('many unread answers are cut until the rest fits, without waiting for their time', async () => {
  await listen({ sharedBytes: 40 * 1024 * 1024 });
  for (let index = 0; index < 6; index += 1) await ask();
  // Six of about 16 MB each; two fit.
  await eventually(() => expect(open).toBeLessThanOrEqual(2));
  expect(open).toBeGreaterThan(0);
});

test('an answer that is read slowly arrives whole', async () => {
  await listen({ patienceMs: 30_000 });
  const res = await ask();
  let sizeBytes = 0;
  const reading = setInterval(() => {
    for (let part = 0; part < 8; part += 1) sizeBytes += (res.read() as Buffer | null)?.length ?? 0;
  }, 5);
  await once(res, 'end');
  clearInterval(reading);
  expect(sizeBytes).toBe(BODY.length);
});

test.each([
  [100, 0],
  [3, 1],
])('a connection on which nothing moves while %i requests wait leaves %i open', async (many, left) => {
  waiting = many;
  await listen({ patienceMs: 1000 });
  const { port } = server.address() as AddressInfo;
  const idle = connect(port, '127.0.0.1').on('error', () => undefined);
  await eventually(() => expect(open).toBe(1));
  // An answer that is not taken is cut meanwhile, so the time of both is over then.
  await ask();
  await eventually(() => expect(open).toBe(left));
  idle.destroy();
});
