/** Why a request ended before its answer: its client has gone, or this server stops. */
import type { ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolError } from '@parley/kit';
import { expect, onTestFinished, test } from 'vitest';
import { cutByStop, signalOf } from './signal-of.ts';

async function waitingCall() {
  const came = Promise.withResolvers<ServerResponse>();
  const server = createServer((_req, res) => came.resolve(res));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  const client = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  client.on('error', () => undefined).end();
  return { server, client, res: await came.promise };
}

const reasonOf = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason));
  });

test('a client that goes is no error', async () => {
  const { client, res } = await waitingCall();
  const reason = reasonOf(signalOf(res));
  client.destroy();
  expect(await reason).toMatchObject({ name: 'AbortError' });
  expect(signalOf(res).reason).not.toBeInstanceOf(ToolError);
});

test('a stop says that the outcome is unknown, also to who asks later', async () => {
  const { server, res } = await waitingCall();
  const reason = reasonOf(signalOf(res));
  cutByStop(res);
  server.closeAllConnections();
  expect(await reason).toMatchObject({ code: 'unavailable', data: { outcome: 'unknown' } });
  expect(signalOf(res).reason).toBeInstanceOf(ToolError);
});
