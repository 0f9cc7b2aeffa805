/** Owns streams of every kind that are opened and never read, while there is much to tell. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { ProductPage } from '../../test/product/annotations-page.ts';
import { noteOf, openPage, ORIGIN } from '../../test/product/annotations-page.ts';
import { message } from '../../test/product/mcp-messages.ts';
import type { Target } from './target.ts';

/** The kinds of streams that a client can hold open. */
export const STREAM_KINDS = [
  'listen',
  'session',
  'progress',
  'link-events',
  'link-socket',
  'feedback',
] as const;

type Kind = (typeof STREAM_KINDS)[number];

/** Opens `perKind` streams of each kind, makes changes that all of them hear of, and lets go. */
export async function leaveUnread(target: Target, perKind: number, changes: number): Promise<void> {
  const page = await openLate(target);
  const sockets: Socket[] = [];
  try {
    for (const kind of STREAM_KINDS)
      for (let index = 0; index < perKind; index++)
        sockets.push(await openUnread(target, await requestOf(kind, target, index, page.ready.sessionToken)));
    // What is over the rate is answered without its id, so from then on nobody waits for single answers.
    const slowed = page.until(({ type }) => type === 'error').catch(() => undefined);
    for (let index = 0; index < changes; index++) {
      // A page that is told to slow down, or is closed for being too much, has done its part.
      await Promise.race([page.annotate('x'.repeat(9_000), randomUUID()).catch(() => undefined), slowed]);
      await postFeedback(target, index);
    }
  } finally {
    page.close();
    for (const socket of sockets) socket.resetAndDestroy();
  }
}

/** A page comes back, as the overlay does, when a machine under attack has heard its hello too late. */
async function openLate({ url, pageToken }: Target): Promise<ProductPage> {
  for (let left = 5; left > 0; left--) {
    try {
      return await openPage(url, pageToken);
    } catch (error) {
      if (!String(error).includes('closed with 4401')) throw error;
    }
  }
  return openPage(url, pageToken);
}

async function postFeedback(target: Target, index: number): Promise<void> {
  await fetch(`${target.url}/api/v1/tags`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.keys[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Tag ${index} ${randomUUID().slice(0, 8)}` }),
  }).then((answer) => answer.arrayBuffer());
}

async function requestOf(kind: Kind, target: Target, index: number, sessionToken: string): Promise<string> {
  const key = target.keys[index % target.keys.length] ?? '';
  switch (kind) {
    case 'listen':
      return mcp(key, message(index, 'subscriptions/listen', { notifications: LISTENED }));
    case 'progress':
      return mcp(key, message(index, 'tools/call', LONG_CALL, { progressToken: index }), LONG_CALL.name);
    case 'session':
      return get(
        '/mcp',
        bearer(key),
        'Accept: text/event-stream',
        `Mcp-Session-Id: ${await openSession(target, key)}`,
      );
    case 'link-events':
      return get('/__parley/events', bearer(sessionToken), `Origin: ${ORIGIN}`);
    case 'link-socket':
      return `${get(
        '/__parley/socket',
        `Origin: ${ORIGIN}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      )}${helloFrame(target.pageToken, sessionToken)}`;
    case 'feedback':
      return get('/api/v1/stream', bearer(key));
  }
}

const LISTENED = {
  toolsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: [
    'parley://annotations/pending',
    'parley://annotations/sessions',
    'quackback://tags',
  ],
};
const LONG_CALL = {
  name: 'start_long_running_task',
  arguments: { steps: 20, delayMs: 500, enableSampling: false },
};
const bearer = (key: string) => `Authorization: Bearer ${key}`;

function get(path: string, ...lines: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
}

function mcp(key: string, body: ReturnType<typeof message>, name?: string): string {
  const text = JSON.stringify(body);
  return [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    bearer(key),
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    `Mcp-Method: ${body.method}`,
    ...(name === undefined ? [] : [`Mcp-Name: ${name}`]),
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}

async function openSession(target: Target, key: string): Promise<string> {
  const answer = await fetch(`${target.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(INITIALIZE),
  });
  await answer.arrayBuffer();
  return answer.headers.get('mcp-session-id') ?? '';
}

/** How a 2025 client opens. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'leaver', version: '1' } },
};

/** The hello of a page that resumes a session, as a masked WebSocket frame with a mask of zeros. */
function helloFrame(token: string, sessionToken: string): string {
  const { url, title, viewport } = noteOf('', '');
  const hello = { token, sessionToken, url, title, viewport, userAgent: 'x', framework: 'none', protocol: 1 };
  const text = JSON.stringify({ type: 'hello', id: '1', payload: hello });
  const length = String.fromCharCode(text.length >> 8, text.length & 255);
  return `\u0081\u00fe${length}\0\0\0\0${text}`;
}

function openUnread(target: Target, text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(target.port, '127.0.0.1', () => {
      // Nothing is ever read: the window closes and stays so.
      socket.pause();
      socket.write(text, 'latin1', () => resolve(socket));
    });
    // A stream over a limit is refused, and one that is not read may be cut off: both are right.
    socket.on('error', () => resolve(socket));
  });
}
