/** A page that annotates through the product's own link, as a browser would. */
import { randomUUID } from 'node:crypto';
import type { ClientMessage, ServerMessage } from '@parley/annotations';
import { detach } from '@parley/kit';
import { WebSocket } from 'ws';

/** Where the page comes from. */
export const ORIGIN = 'http://localhost:5173';

const VIEWPORT = { width: 1280, height: 720, pixelRatio: 1 };

/** The ready part of a connected page. */
export type Ready = Extract<ServerMessage, { type: 'session:ready' }>['payload'];

/** A connected page. */
export interface ProductPage {
  readonly ready: Ready;
  readonly received: ServerMessage[];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  /** Makes a note and returns its id once the server has acknowledged it. */
  annotate(text: string, clientId?: string): Promise<string>;
  /** The first message that fits. */
  until(fits: (message: ServerMessage) => boolean): Promise<ServerMessage>;
  close(): void;
}

/** The page token in a script tag. */
export function tokenOf(overlayTag: string): string {
  return /data-token="([^"]+)"/.exec(overlayTag)?.[1] ?? '';
}

/** Connects and says hello. */
export async function openPage(
  serverUrl: string,
  token: string,
  sessionToken?: string,
): Promise<ProductPage> {
  const ws = new WebSocket(`${serverUrl.replace('http', 'ws')}/__parley/socket`, { origin: ORIGIN });
  const received: ServerMessage[] = [];
  const looks = new Set<() => void>();
  ws.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString('utf8')) as ServerMessage);
    for (const look of looks) look();
  });
  const closed = new Promise<number>((resolve) => {
    ws.on('close', resolve);
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  ws.on('error', () => undefined);
  const until = (fits: (message: ServerMessage) => boolean): Promise<ServerMessage> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = received.find(fits);
        if (found === undefined) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      detach(
        closed.then((code) => reject(new Error(`The link was closed with ${code}.`))),
        reject,
      );
      look();
    });
  const ask = (type: ClientMessage['type'], payload: unknown) => {
    const id = randomUUID();
    ws.send(JSON.stringify({ type, id, payload }));
    return until((message) => message.id === id);
  };
  const answer = await ask('hello', {
    token,
    ...(sessionToken !== undefined && { sessionToken }),
    url: `${ORIGIN}/cart`,
    title: 'Cart',
    viewport: VIEWPORT,
    userAgent: 'Test browser',
    framework: 'none',
    protocol: 1,
  });
  if (answer.type !== 'session:ready') throw new Error(JSON.stringify(answer));
  // As the overlay does: a page that says nothing is taken for gone, however long a busy machine lets a test wait.
  const ping = setInterval(() => {
    ws.send(JSON.stringify({ type: 'session:ping', payload: {} }));
  }, answer.payload.limits.pingMs);
  ws.on('close', () => clearInterval(ping));
  return {
    ready: answer.payload,
    received,
    closed,
    async annotate(text, clientId = randomUUID()) {
      const made = await ask('annotation:create', noteOf(text, clientId));
      if (made.type !== 'ok') throw new Error(JSON.stringify(made));
      return made.payload.annotation?.id ?? '';
    },
    until,
    close: () => ws.close(),
  };
}

/** A note as a page sends it. */
export function noteOf(annotationText: string, clientId: string) {
  return {
    clientId,
    annotationText,
    intent: 'change' as const,
    severity: 'important' as const,
    kind: 'element' as const,
    url: `${ORIGIN}/cart`,
    title: 'Cart',
    viewport: VIEWPORT,
    scroll: { x: 0, y: 0 },
    selector: '#pay',
    elementPath: 'body > button',
    element: 'button "Pay now"',
    domSnapshot: '<button id="pay">Pay now</button>',
    boundingBox: { x: 0, y: 0, width: 100, height: 30, fixed: false },
  };
}
