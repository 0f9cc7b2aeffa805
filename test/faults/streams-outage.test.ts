/** Every kind of stream through an outage of the database: the process lives, and what was open goes on or is opened again. */
import { join } from 'node:path';
import type { ServerMessage } from '@parley/annotations';
import type { ScratchDatabase } from '@parley/store/testing';
import { outage, scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPage, ORIGIN, tokenOf } from '../product/annotations-page.ts';
import { ensureBuilt } from '../product/build.ts';
import { callTool, message } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import { startParley } from '../product/parley.ts';

let database: ScratchDatabase;

beforeAll(ensureBuilt);
beforeEach(async () => {
  database = await scratchDatabase('postgres');
});
afterEach(() => database.remove());

/** An open event stream and what it has said. */
class Stream {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';
  isOver = false;

  constructor(response: Response) {
    expect(response.status).toBe(200);
    const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>>; // a stream was answered
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads on until it has said this from now on, or is over. */
  async until(wanted: string): Promise<void> {
    this.#text = '';
    while (!this.isOver && !this.#text.includes(wanted)) {
      const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: '' }));
      this.#text += value ?? '';
      this.isOver = done;
    }
  }
}

const PENDING = 'parley://annotations/pending';

async function listen({ mcp, key }: Server): Promise<Response> {
  const notifications = { toolsListChanged: true, resourceSubscriptions: [PENDING] };
  return fetch(mcp, {
    method: 'POST',
    headers: {
      ...headersOf(key),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(message('listen', 'subscriptions/listen', { notifications })),
  });
}

async function sessionStream({ mcp, key }: Server): Promise<Response> {
  const clientInfo = { name: 'outage-test', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const send = (body: object, headers: Record<string, string> = {}) =>
    fetch(mcp, { method: 'POST', headers: { ...headersOf(key), ...headers }, body: JSON.stringify(body) });
  const opened = await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await opened.text();
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
  };
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: PENDING } };
  await (await send(subscribe, session)).text();
  return fetch(mcp, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...session },
  });
}

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

test('a database that is away while every kind of stream is open does not stop the process', async () => {
  const folder = join(database.options.dataDir, 'server');
  const args = ['--database-url', database.options.databaseUrl ?? ''];
  await using server = await startParley(folder, { args });
  const tag = (JSON.parse(server.stdout().split('\n')[0] ?? '') as { overlayTag: string }).overlayTag;
  const socket = await openPage(server.url, tokenOf(tag));
  const authorization = `Bearer ${socket.ready.sessionToken}`;
  const notices = [new Stream(await listen(server)), new Stream(await sessionStream(server))];
  const link = new Stream(
    await fetch(`${server.url}/__parley/events`, { headers: { authorization, origin: ORIGIN } }),
  );
  const feedback = new Stream(
    await fetch(`${server.url}/api/v1/stream`, { headers: { authorization: `Bearer ${server.key}` } }),
  );
  await Promise.all([link.until('annotations:sync'), feedback.until('listening')]);
  // Who waits looks again and again while the change signal is broken, and so makes notices.
  const watching = callTool(server, 'watch_annotations', { timeoutMs: 60_000 }).catch(() => undefined);
  await socket.until((said) => said.type === 'presence' && said.payload.state === 'watching');

  const end = await outage(database);
  await server.until('stderr', /"where":"notice"/);
  expect((await callTool(server, 'get_all_pending')).body.result?.structuredContent).toBeUndefined();
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  await end();

  const page = await eventually(() => openPage(server.url, tokenOf(tag), socket.ready.sessionToken), 200);
  const id = await eventually(() => page.annotate('After the outage'), 200);
  await Promise.all(notices.map((stream) => stream.until(PENDING)));
  expect(notices.map(({ isOver }) => isOver)).toEqual([false, false]);
  await Promise.all([link.until(id), socket.until((said) => hasNote(said, id))]);
  expect((await callTool(server, 'get_all_pending')).body.result?.structuredContent).toMatchObject({
    annotations: [{ id }],
  });
  expect(server.child.exitCode).toBeNull();
  page.close();
  expect((await server.stop()).code).toBe(0);
  await watching;
});

function hasNote(said: ServerMessage, id: string): boolean {
  return JSON.stringify(said).includes(id);
}
