import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, test } from 'vitest';
import type { LinkServer } from '../../test/link.ts';
import { startLink } from '../../test/link.ts';
import { AGENT, note, ORGANIZATION, ORIGIN, PAGE } from '../../test/notes.ts';
import type { ServerMessage } from './messages.ts';

const POST = { method: 'POST', headers: { origin: ORIGIN, 'content-type': 'application/json' } };

async function say(server: LinkServer, message: unknown, sessionToken?: string) {
  const authorization: Record<string, string> =
    sessionToken === undefined ? {} : { authorization: `Bearer ${sessionToken}` };
  const answer = await server.send('/__parley/messages', {
    ...POST,
    headers: { ...POST.headers, ...authorization },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  return {
    status: answer.status,
    message: JSON.parse(answer.body) as ServerMessage,
    headers: answer.headers,
  };
}

async function hello(server: LinkServer): Promise<{ sessionToken: string; sessionId: string }> {
  const payload = { token: server.token, ...PAGE, protocol: 1 };
  const { message } = await say(server, { type: 'hello', id: 'h', payload });
  if (message.type !== 'session:ready') throw new Error(JSON.stringify(message));
  return { sessionToken: message.payload.sessionToken, sessionId: message.payload.session.id };
}

/** Reads the event stream of a session. */
async function listen(server: LinkServer, sessionToken: string) {
  const received: ServerMessage[] = [];
  const headers = { origin: ORIGIN, authorization: `Bearer ${sessionToken}` };
  const options = { host: '127.0.0.1', port: server.port, path: '/__parley/events', headers };
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    get(options, resolve).on('error', reject);
  });
  let text = '';
  res.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events)
      if (event.startsWith('data: ')) received.push(JSON.parse(event.slice(6)) as ServerMessage);
  });
  res.on('error', () => undefined);
  return { res, received };
}

function arrival({ received }: { received: ServerMessage[] }, type: ServerMessage['type']) {
  return eventually(() => {
    const message = received.find((one) => one.type === type);
    if (message === undefined) throw new Error(`No ${type} has arrived.`);
    return message;
  });
}

describe('the link without WebSocket', () => {
  test('hello, a note by POST and the news by the event stream', async () => {
    await using server = await startLink();
    const { sessionToken } = await hello(server);
    const stream = await listen(server, sessionToken);
    const sync = await arrival(stream, 'annotations:sync');
    expect(sync.payload).toEqual({ annotations: [], seq: 1 });
    const made = await say(server, { type: 'annotation:create', id: '1', payload: note() }, sessionToken);
    expect(made).toMatchObject({ status: 200, message: { type: 'ok', id: '1' } });
    expect(made.headers['access-control-allow-origin']).toBe(ORIGIN);
    const created = await arrival(stream, 'annotation:created');
    if (created.type !== 'annotation:created') throw new Error('unreachable');
    await server.services.agent.resolve(AGENT, created.payload.annotation.id);
    const updated = await arrival(stream, 'annotation:updated');
    expect(updated.payload).toMatchObject({ annotation: { status: 'resolved' }, seq: 3 });
    stream.res.destroy();
  });

  test('without a valid session token nothing is read and nothing is written', async () => {
    await using server = await startLink();
    const { sessionToken } = await hello(server);
    const create = { type: 'annotation:create', payload: note() };
    for (const token of [undefined, 'parley_tab_guess', server.token]) {
      expect((await say(server, create, token)).status).toBe(401);
      const headers: Record<string, string> = { origin: ORIGIN };
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      expect((await server.send('/__parley/events', { headers })).status).toBe(401);
      expect((await server.send('/__parley/screenshots', { method: 'POST', headers })).status).toBe(401);
    }
    const elsewhere = { origin: 'http://localhost:9999', authorization: `Bearer ${sessionToken}` };
    expect((await server.send('/__parley/events', { headers: elsewhere })).status).toBe(401);
    expect((await server.services.notes.list({ organizationId: ORGANIZATION })).total).toBe(0);
    expect(server.faults).toEqual([]);
  });

  test('bad and oversized messages are refused with a status that says so', async () => {
    await using server = await startLink();
    const { sessionToken } = await hello(server);
    expect((await say(server, '{', sessionToken)).status).toBe(400);
    expect((await say(server, { type: 'nothing' }, sessionToken)).status).toBe(400);
    const missing = { type: 'annotation:delete', payload: { id: 'ann_none' } };
    expect((await say(server, missing, sessionToken)).status).toBe(404);
    const large = JSON.stringify({ type: 'session:update', payload: { title: 'x'.repeat(257 * 1024) } });
    expect((await say(server, large, sessionToken)).status).toBe(413);
  });

  test('a browser may ask before it sends, from an accepted origin only', async () => {
    await using server = await startLink();
    const ask = (origin: string) =>
      server.send('/__parley/messages', { method: 'OPTIONS', headers: { origin } });
    const allowed = await ask(ORIGIN);
    expect(allowed).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-headers': 'authorization, content-type',
      },
    });
    expect((await ask('https://evil.example')).status).toBe(403);
    expect((await server.send('/__parley/messages', { headers: { origin: ORIGIN } })).status).toBe(405);
  });

  test('a screenshot is uploaded, read back by the note, and refused when it is none', async () => {
    await using server = await startLink();
    const { sessionToken } = await hello(server);
    const upload = (body: Buffer, type: string) =>
      server.send('/__parley/screenshots', {
        method: 'POST',
        headers: { origin: ORIGIN, 'content-type': type, authorization: `Bearer ${sessionToken}` },
        body,
      });
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const added = await upload(png, 'image/png');
    expect(added.status).toBe(201);
    const { id: screenshotId } = JSON.parse(added.body) as { id: string };
    const made = await say(
      server,
      { type: 'annotation:create', payload: note({ screenshotId }) },
      sessionToken,
    );
    if (made.message.type !== 'ok') throw new Error(JSON.stringify(made.message));
    const id = made.message.payload.annotation?.id ?? '';
    expect((await server.services.screenshots.ofNote(ORGANIZATION, id))?.data).toBe(png.toString('base64'));
    expect((await upload(Buffer.from('<svg/>'), 'image/svg+xml')).status).toBe(400);
    expect((await upload(png, 'image/webp')).status).toBe(400);
    const tooLarge = Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]);
    expect((await upload(tooLarge, 'image/png')).status).toBe(413);
  });
});

describe("the overlay's script", () => {
  test('is open, has an ETag, and is kept for a year under its own hash', async () => {
    await using server = await startLink({ script: 'void 0;' });
    const first = await server.send('/__parley/overlay.js');
    expect(first).toMatchObject({ status: 200, body: 'void 0;', headers: { 'cache-control': 'no-cache' } });
    const etag = String(first.headers.etag);
    const again = await server.send('/__parley/overlay.js', { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, body: '' });
    const pinned = await server.send(`/__parley/overlay.js?v=${etag.replaceAll('"', '')}`);
    expect(pinned.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const head = await server.send('/__parley/overlay.js', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect((await server.send('/__parley/overlay.js', { headers: { host: 'evil.example' } })).status).toBe(
      403,
    );
    expect((await server.send('/__parley/overlay.js', { method: 'POST' })).status).toBe(405);
  });

  test('says in one line when it is not built, and other paths need a credential', async () => {
    await using server = await startLink();
    expect(await server.send('/__parley/overlay.js')).toMatchObject({ status: 503 });
    expect((await server.send('/__parley/other')).status).toBe(401);
    expect((await server.send('/__parley/socket')).status).toBe(426);
  });
});
