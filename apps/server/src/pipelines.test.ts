/** Pipelined requests: one in work per connection, answered in order, few of them read, none started for a client that has left. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { detach } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pipelines } from './pipelines.ts';
import { createPipelines } from './pipelines.ts';

let server: Server;
let pipelines: Pipelines;
let socket: Socket;
let client: Socket;
let received: string;
/** Requests in the order in which work on them began, and how many were in work at once. */
let started: string[];
let atOnce: { now: number; most: number };
/** Responses of `/held` and `/stream`, which a test ends. */
let held: ServerResponse[];

async function work(req: IncomingMessage, res: ServerResponse): Promise<void> {
  started.push(`${req.method} ${req.url}`);
  const counts = atOnce;
  counts.now += 1;
  counts.most = Math.max(counts.most, counts.now);
  res.once('close', () => (counts.now -= 1));
  if (req.url === '/held' || req.url === '/stream') {
    held.push(res);
    if (req.url === '/stream') res.write('first ');
    return;
  }
  let size = 0;
  for await (const part of req) size += (part as Buffer).length;
  await new Promise(setImmediate);
  if (req.url === '/big') res.end('x'.repeat(256 * 1024));
  else res.end(`[${req.url} ${size}]`);
}

beforeEach(async () => {
  [received, started, held, atOnce] = ['', [], [], { now: 0, most: 0 }];
  pipelines = createPipelines((req, res) => detach(work(req, res), () => res.destroy()));
  server = createServer(pipelines.take);
  server.on('connection', (accepted) => (socket = accepted));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  await Promise.all([once(client, 'connect'), once(server, 'connection')]);
});
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

const get = (path: string, method = 'GET') => `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const read = () => client.setEncoding('latin1').on('data', (text: string) => (received += text));
const bodies = () => received.match(/\[[^\]]*\]/g) ?? [];

test('many requests in one write are worked on one by one and answered in their order', async () => {
  read();
  const paths = Array.from({ length: 3000 }, (_, index) => `/${index}`);
  client.write(paths.map((path) => get(path)).join(''));
  await eventually(() => expect(bodies()).toHaveLength(3000));
  expect(bodies()).toEqual(paths.map((path) => `[${path} 0]`));
  expect(atOnce.most).toBe(1);
  expect(pipelines.waitingOn(socket)).toBe(0);
});

test('a client that never reads is read only as far as its answers are taken', async () => {
  const sent = get('/big').repeat(400_000);
  client.write(sent);
  // The answers fill the buffers of the system; then nothing more begins and nothing more is read.
  await eventually(() => expect(socket.writableLength).toBeGreaterThan(0));
  const [begun, readBytes] = [started.length, socket.bytesRead];
  await eventually(() => expect(socket.isPaused()).toBe(true));
  expect(atOnce.most).toBe(1);
  expect(readBytes).toBeLessThan(sent.length / 4);
  expect(pipelines.waitingOn(socket)).toBeLessThan(8000);
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  expect([started.length, socket.bytesRead]).toEqual([begun, readBytes]);
});

test('bodies behind other requests arrive whole, those that had to wait to be read too', async () => {
  read();
  const large = 'b'.repeat(1024 * 1024);
  client.write(get('/1') + post('/2', 'small') + get('/3').repeat(20) + post('/4', large) + get('/5'));
  await eventually(() => expect(bodies()).toHaveLength(24));
  expect(bodies().filter((body) => body !== '[/3 0]')).toEqual([
    '[/1 0]',
    '[/2 5]',
    `[/4 ${large.length}]`,
    '[/5 0]',
  ]);
  expect(atOnce.most).toBe(1);
});

test('HEAD has its turn like any other', async () => {
  read();
  client.write(get('/1', 'HEAD') + get('/2') + get('/3', 'HEAD') + get('/4'));
  await eventually(() => expect(bodies()).toEqual(['[/2 0]', '[/4 0]']));
  expect(started).toEqual(['HEAD /1', 'GET /2', 'HEAD /3', 'GET /4']);
});

test('nothing begins behind a stream until it ends, and little is read', async () => {
  read();
  const many = 200_000;
  client.write(get('/stream') + get('/after').repeat(many));
  await eventually(() => expect(socket.isPaused()).toBe(true));
  expect(started).toEqual(['GET /stream']);
  expect(socket.bytesRead).toBeLessThan((get('/after').length * many) / 2);
  held[0]?.end('last');
  await eventually(() => expect(bodies().length).toBeGreaterThan(10));
  expect(received.indexOf('last')).toBeLessThan(received.indexOf('[/after'));
});

describe('requests that wait behind one that is in work', () => {
  test.each<[string, () => void]>([
    ['are never started when the client resets', () => client.resetAndDestroy()],
    ['are never started when the client closes', () => client.destroy()],
    ['are never started when the server cuts the connection', () => socket.destroy()],
    ['are never started when the client has closed its half', () => client.end()],
  ])('%s', async (_, leave) => {
    client.write(get('/held') + get('/1') + get('/2'));
    await eventually(() => expect(pipelines.waitingOn(socket)).toBe(2));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    leave();
    await closed;
    held[0]?.end('too late');
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(started).toEqual(['GET /held']);
  });

  test('go on when that one breaks off in good order', async () => {
    read();
    client.write(get('/held') + get('/1') + get('/2'));
    await eventually(() => expect(pipelines.waitingOn(socket)).toBe(2));
    held[0]?.writeHead(500).end();
    await eventually(() => expect(bodies()).toEqual(['[/1 0]', '[/2 0]']));
  });
});
