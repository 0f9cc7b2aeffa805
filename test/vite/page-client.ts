/** Owns a page without a browser: it speaks the link as the overlay does, as fast as it may. */
import { randomUUID } from 'node:crypto';
import { detach } from '@parley/kit';
import { WebSocket } from 'ws';

interface Answer {
  readonly type: string;
  readonly id?: string;
  readonly payload: { readonly annotation?: { readonly id: string }; readonly message?: string };
}

/** A page that is connected. */
export interface PageClient {
  /** Leaves a note and returns its id. */
  create(text: string): Promise<string>;
  reply(id: string, message: string): Promise<void>;
  close(): void;
}

const viewport = { width: 800, height: 600, pixelRatio: 1 };

/** The page token in the line that `parley start --json` prints. */
export function tokenOf(readyLine: string): string {
  const { overlayTag } = JSON.parse(readyLine.split('\n', 1)[0] ?? '') as { overlayTag: string };
  return /data-token="([^"]+)"/.exec(overlayTag)?.[1] ?? '';
}

/** Connects to a link and says hello. */
export async function connectPage(origin: string, token: string): Promise<PageClient> {
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/__parley/socket`, {
    origin,
    rejectUnauthorized: false,
  });
  const waiting = new Map<string, PromiseWithResolvers<Answer>>();
  socket.on('message', (data: Buffer) => {
    const answer = JSON.parse(data.toString('utf8')) as Answer;
    const asked = waiting.get(answer.id ?? '');
    if (answer.type === 'error') asked?.reject(new Error(answer.payload.message));
    else asked?.resolve(answer);
  });
  const closed = Promise.withResolvers<never>();
  socket.on('close', (code) => closed.reject(new Error(`The link was closed with ${code}.`)));
  socket.on('error', (error) => closed.reject(error));
  // A wait races with it; while nothing waits, a closed link is no fault.
  detach(closed.promise, () => undefined);
  const send = (type: string, payload: object): Promise<Answer> => {
    const id = randomUUID();
    const asked = Promise.withResolvers<Answer>();
    waiting.set(id, asked);
    socket.send(JSON.stringify({ type, id, payload }));
    return Promise.race([asked.promise, closed.promise]);
  };
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed.promise]);
  const page = { url: `${origin}/`, title: 'Page', viewport };
  await send('hello', { token, ...page, userAgent: 'page-client', framework: 'none', protocol: 1 });
  return {
    async create(text) {
      const note = { ...page, ...ELEMENT, clientId: randomUUID(), annotationText: text };
      const { payload } = await send('annotation:create', note);
      return payload.annotation!.id;
    },
    async reply(id, message) {
      await send('annotation:reply', { id, message });
    },
    close: () => socket.close(),
  };
}

const ELEMENT = {
  kind: 'element',
  scroll: { x: 0, y: 0 },
  selector: 'button',
  elementPath: 'body > button',
  element: 'button',
  domSnapshot: '<button>Buy</button>',
  boundingBox: { x: 0, y: 0, width: 10, height: 10, fixed: false },
};
