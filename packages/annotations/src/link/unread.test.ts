/** Pages that read nothing, say nothing, say too much or are too many: the server cuts them and serves the others. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { StoreUnavailableError } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LinkServer, Page } from '../../test/link.ts';
import { startLink } from '../../test/link.ts';
import { AGENT, note, ORIGIN } from '../../test/notes.ts';
import { CLOSE } from './messages.ts';

afterEach(() => {
  vi.useRealTimers();
});

const MAX_ROUNDS = 60;
const LARGE = { domSnapshot: 'x'.repeat(5_000), annotationText: 'y'.repeat(9_000) };

/** The event stream of a session on a bare socket, read up to its head and then no more. */
async function openEvents(
  server: LinkServer,
  sessionToken: string,
): Promise<{ socket: Socket; head: string }> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET /__parley/events HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\norigin: ${ORIGIN}\r\nauthorization: Bearer ${sessionToken}\r\n\r\n`,
  );
  const head = await new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString('utf8')));
  });
  socket.pause();
  return { socket, head };
}

async function statusOfEvents(server: LinkServer, sessionToken: string): Promise<string | undefined> {
  const { socket, head } = await openEvents(server, sessionToken);
  socket.destroy();
  return head.split(' ')[1];
}

/** Fills a session, and returns how to tell all of it, about a megabyte, to everybody who is connected. */
async function floodOf(server: LinkServer, sessionToken: string): Promise<(reader: Page) => Promise<void>> {
  const row = await server.services.sessions.find(sessionToken);
  for (let at = 0; at < 65; at += 1) await server.note(row, LARGE);
  server.store.signal.isBroken = () => true;
  return async (reader) => {
    reader.received.length = 0;
    server.services.changes.retellWhenBroken();
    await reader.next('annotations:sync', ({ annotations }) => annotations.length > 60);
  };
}

/** A socket that was upgraded by hand, so that nothing answers for it. */
async function openBare(server: LinkServer): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connect(server.port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve());
  });
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET /__parley/socket HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\norigin: ${ORIGIN}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  );
  await new Promise((resolve) => {
    socket.once('data', resolve);
  });
  return { socket, closed };
}

/** The beginning of a text frame that says it has a megabyte. */
const hugeFrame = (sizeBytes: number) =>
  Buffer.concat([
    Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x0f, 0xff, 0xff, 0, 0, 0, 0]),
    Buffer.alloc(sizeBytes),
  ]);

/** The two ways a page listens; each opens one connection of the session and reads nothing of it. */
const WAYS: Record<string, (server: LinkServer, sessionToken: string) => Promise<{ reset(): void }>> = {
  async 'an event stream'(server, sessionToken) {
    const { socket, head } = await openEvents(server, sessionToken);
    expect(head).toContain(' 200 ');
    return { reset: () => socket.resetAndDestroy() };
  },
  async 'a socket'(server, sessionToken) {
    const page = await server.hello(sessionToken);
    page.ws.pause();
    return { reset: () => page.ws.terminate() };
  },
};

describe.each(Object.entries(WAYS))('%s', (_name, open) => {
  test('that nobody reads is cut before it holds much, and its place is free', async () => {
    await using server = await startLink({ limits: { connectionsPerSession: 2 } });
    const reader = await server.hello();
    const { sessionToken } = reader.ready;
    const tellAll = await floodOf(server, sessionToken);
    await open(server, sessionToken);
    expect(await statusOfEvents(server, sessionToken)).toBe('429');
    let rounds = 0;
    do {
      await tellAll(reader);
      rounds += 1;
    } while (rounds < MAX_ROUNDS && (await statusOfEvents(server, sessionToken)) === '429');
    expect(rounds).toBeLessThan(MAX_ROUNDS);
    expect(server.faults).toEqual([]);
  });

  test('that is reset in the middle gives its place back', async () => {
    await using server = await startLink({ limits: { connectionsPerSession: 1 } });
    const first = await server.hello();
    first.ws.close();
    await first.closed;
    const { sessionToken } = first.ready;
    const row = await server.services.sessions.find(sessionToken);
    const connection = await eventually(() => open(server, sessionToken));
    const made = server.note(row, LARGE);
    connection.reset();
    await made;
    await eventually(async () => expect(await statusOfEvents(server, sessionToken)).toBe('200'));
    expect(server.faults).toEqual([]);
  });
});

test('a silent event stream with unread news is ended without a write after its end', async () => {
  let now = Date.now();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await using server = await startLink({ now: () => now, limits: { connectionsPerSession: 2 } });
  const page = await server.hello();
  const { sessionToken } = page.ready;
  const tellAll = await floodOf(server, sessionToken);
  await openEvents(server, sessionToken);
  for (let at = 0; at < 30; at += 1) await tellAll(page);
  now += 60_000;
  for (let at = 0; at < 20; at += 1) vi.advanceTimersByTime(5000);
  await page.closed;
  const again = await server.hello(sessionToken);
  expect(again.ready.session.id).toBe(page.ready.session.id);
  expect(server.faults).toEqual([]);
});

test('a page whose news cannot be read hears them when the store is back', async () => {
  await using server = await startLink();
  const page = await server.hello();
  const lost = new StoreUnavailableError('lost');
  vi.spyOn(server.services.notes, 'byId').mockRejectedValueOnce(lost);
  const made = await page.ask('annotation:create', note());
  expect(made.type).toBe('ok');
  const { annotations } = await page.next('annotations:sync');
  expect(annotations).toHaveLength(1);
  expect(server.faults).toEqual([lost]);
});

describe('before hello', () => {
  test('a socket that says nothing is cut at once when the time is over, without waiting for its answer', async () => {
    await using server = await startLink({ limits: { helloMs: 2000, ungreetedPerProcess: 1 } });
    const { closed } = await openBare(server);
    await closed;
    expect((await server.hello()).ready.annotations).toEqual([]);
  });

  test.each([
    ['a frame that is longer than a hello', hugeFrame(9 * 1024)],
    [
      'many small frames',
      Buffer.concat(Array.from({ length: 2000 }, () => Buffer.from([0x89, 0x80, 0, 0, 0, 0]))),
    ],
  ])('%s is cut before it is held', async (_name, bytes) => {
    await using server = await startLink({ limits: { helloMs: 600_000 } });
    const { socket, closed } = await openBare(server);
    socket.write(bytes);
    await closed;
    expect(server.faults).toEqual([]);
  });

  test('a hello of more than 8 KiB is refused, over a socket and by a post', async () => {
    await using server = await startLink();
    const text = JSON.stringify({ type: 'hello', id: 'h', payload: { title: 'x'.repeat(9000) } });
    const page = await server.socket();
    page.ws.send(text);
    expect(await page.closed).toBe(CLOSE.unauthorized);
    const headers = { origin: ORIGIN, 'content-type': 'application/json' };
    const posted = await server.send('/__parley/messages', { method: 'POST', headers, body: text });
    expect(posted.status).toBe(413);
    const guess = { ...headers, authorization: 'Bearer parley_tab_guess' };
    const guessed = await server.send('/__parley/messages', { method: 'POST', headers: guess, body: text });
    expect(guessed.status).toBe(413);
  });

  test.each([
    ['one address', { ungreetedPerAddress: 2 }],
    ['the process', { ungreetedPerProcess: 2 }],
  ])(
    'only so many sockets of %s may be there, and those that said hello make room',
    async (_name, limits) => {
      await using server = await startLink({ limits });
      const waiting: Page[] = [await server.socket(), await server.socket()];
      await expect(server.socket()).rejects.toThrow('429');
      waiting[0]?.ws.close();
      await waiting[0]?.closed;
      const greeted = await eventually(() => server.hello());
      expect((await server.hello(greeted.ready.sessionToken)).ready.session.id).toBe(
        greeted.ready.session.id,
      );
    },
  );
});

describe('many pages', () => {
  test.each([
    ['a session', { connectionsPerSession: 1 }],
    ['a page token', { connectionsPerPageToken: 1 }],
    ['the process', { connectionsPerProcess: 1 }],
  ])('%s has only so many connections, told with 4429 and 429', async (_name, limits) => {
    await using server = await startLink({ limits });
    const page = await server.hello();
    await expect(server.hello(page.ready.sessionToken)).rejects.toThrow('4429');
    expect(await statusOfEvents(server, page.ready.sessionToken)).toBe('429');
    expect((await page.ask('session:ping', {})).type).toBe('ok');
    page.ws.close();
    await eventually(async () => expect(await statusOfEvents(server, page.ready.sessionToken)).toBe('200'));
  });

  test('a page with more notes than fit is told of the open ones first, then of the newest', async () => {
    await using server = await startLink({ limits: { sessionBytes: 60_000 } });
    const page = await server.hello();
    const row = await server.services.sessions.find(page.ready.sessionToken);
    const ids: string[] = [];
    for (let at = 0; at < 10; at += 1) ids.push((await server.note(row, LARGE)).id);
    for (const id of ids.slice(1)) await server.services.agent.resolve(AGENT, id);
    const again = await server.hello(page.ready.sessionToken);
    const told = again.ready.annotations.map(({ number }) => number);
    expect(told[0]).toBe(1);
    expect(told.slice(1)).toEqual([8, 9, 10]);
    expect(Buffer.byteLength(JSON.stringify(again.ready.annotations))).toBeLessThan(60_000);
  });
});

test('agents that come and go cost one look for each session, not one for each at the same time', async () => {
  await using server = await startLink();
  const pages = await Promise.all(Array.from({ length: 20 }, () => server.hello()));
  let running = 0;
  let most = 0;
  const { presence } = server.services;
  const look = presence.of.bind(presence);
  vi.spyOn(presence, 'of').mockImplementation(async (organizationId, sessionId) => {
    running += 1;
    most = Math.max(most, running);
    return look(organizationId, sessionId).finally(() => (running -= 1));
  });
  presence.stamp(AGENT, 'claude');
  for (const page of pages) await page.next('presence');
  await eventually(() => expect(running).toBe(0));
  expect(most).toBeLessThanOrEqual(4);
});
