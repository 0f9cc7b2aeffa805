/** Streams of notices end with whoever does not read, and with whoever may not listen any more. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StoreUnavailableError } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { createNoticeStreams } from './notice-streams.ts';

test.each([
  ['that nobody reads is cut', { unread: 'x'.repeat(70_000), mayStay: async () => true }],
  ['whose check fails ends', { unread: '', mayStay: () => Promise.reject(new Error('refused')) }],
])('a stream %s', async (_name, { unread, mayStay }) => {
  await using store = await scratchStore();
  const parts = { toolset: 'notes', nouns: ['notes'], signal: store.signal };
  const streams = createNoticeStreams(parts, { keepAliveMs: 20 });
  const server = createServer((_req, res) => {
    streams.open({ res, callerId: 'key_1', organizationId: 'org_1', mayStay });
    res.writeHead(200).write(': listening\n\n');
    // What is written from now on stays here, as with a client that does not read.
    if (unread !== '') res.socket?.cork();
    if (unread !== '') res.write(unread);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  const text = await fetch(`http://127.0.0.1:${port}/`)
    .then((answer) => answer.text())
    .catch(() => 'cut');
  expect(text).toMatch(unread === '' ? /^: listening/ : /^cut$/);
  streams.close();
  server.close();
  server.closeAllConnections();
});

test('a stream outlives a database that is away while its access is checked', async () => {
  await using store = await scratchStore();
  const answers = [
    () => Promise.reject(new StoreUnavailableError('lost')),
    () => Promise.reject(new StoreUnavailableError('busy')),
    async () => true,
    async () => false,
  ];
  const parts = { toolset: 'notes', nouns: ['notes'], signal: store.signal };
  const streams = createNoticeStreams(parts, { keepAliveMs: 20 });
  const mayStay = () => (answers.shift() ?? (async () => false))();
  const server = createServer((_req, res) => {
    streams.open({ res, callerId: 'key_1', organizationId: 'org_1', mayStay });
    res.writeHead(200).write(': listening\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  const text = await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text());
  expect(text).toMatch(/^: listening/);
  expect(answers).toEqual([]);
  streams.close();
  server.close();
});
