/** Owns the two ways to carry messages: one WebSocket, or an event stream with posts where sockets are blocked. */
import { detach } from '../../detach.ts';
import type { ClientMessage, ServerMessage } from '../../link/messages.ts';

/** Why a connection ended. */
export interface Ending {
  /** False when the server was never reached this way. */
  readonly wasOpen: boolean;
  readonly refused: boolean;
  readonly reason: string;
}

/** A connection that is open or opening. */
export interface Transport {
  send(message: ClientMessage): void;
  close(): void;
}

/** What a transport tells. */
export interface TransportEvents {
  message(message: ServerMessage): void;
  ended(ending: Ending): void;
}

const UNAUTHORIZED = 4401;
/** What the server says with it when the hello was only late: the token was not looked at. */
const LATE = 'No hello came in time.';

/** Opens the socket and says hello first. */
export function openSocket(server: string, hello: ClientMessage, events: TransportEvents): Transport {
  let wasOpen = false;
  let reason = '';
  const socket = new WebSocket(`${server.replace(/^http/, 'ws')}/__parley/socket`);
  socket.addEventListener('open', () => {
    wasOpen = true;
    socket.send(JSON.stringify(hello));
  });
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as ServerMessage; // written by our own server
    if (message.type === 'error') reason = message.payload.message;
    events.message(message);
  });
  socket.addEventListener('close', ({ code, reason: said }) =>
    events.ended({ wasOpen, refused: code === UNAUTHORIZED && said !== LATE, reason: said || reason }),
  );
  // A socket that a content policy blocks never closes; of two endings the link takes the first.
  socket.addEventListener('error', () => {
    if (socket.readyState === WebSocket.CLOSED) events.ended({ wasOpen, refused: false, reason });
  });
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
}

/** Says hello by a post, then reads the event stream and posts everything else. */
export function openStream(server: string, hello: ClientMessage, events: TransportEvents): Transport {
  const abort = new AbortController();
  let bearer: string | undefined;
  const post = async (message: ClientMessage): Promise<ServerMessage> => {
    const response = await fetch(`${server}/__parley/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(message),
      signal: abort.signal,
      credentials: 'omit',
    });
    return (await response.json()) as ServerMessage; // written by our own server
  };
  const run = async (): Promise<Ending> => {
    const ready = await post(hello);
    if (ready.type === 'error') {
      // A server that is busy or full may take the same hello later.
      const refused = ready.payload.code === 'unauthorized';
      return { wasOpen: false, refused, reason: ready.payload.message };
    }
    if (ready.type === 'session:ready') bearer = ready.payload.sessionToken;
    events.message(ready);
    const stream = await fetch(`${server}/__parley/events`, {
      headers: { authorization: `Bearer ${bearer ?? ''}`, accept: 'text/event-stream' },
      signal: abort.signal,
      credentials: 'omit',
    });
    if (stream.body !== null && stream.ok)
      await readEvents(stream.body, (data) => events.message(JSON.parse(data) as ServerMessage)); // written by our own server
    return { wasOpen: true, refused: false, reason: '' };
  };
  const broken = () => events.ended({ wasOpen: bearer !== undefined, refused: false, reason: '' });
  detach(run().then(events.ended, broken), reportError);
  return {
    send: (message) =>
      detach(
        post(message).then(events.message, () => abort.abort()),
        reportError,
      ),
    close: () => abort.abort(),
  };
}

async function readEvents(body: ReadableStream<Uint8Array>, onData: (data: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      if (lines.length > 0) onData(lines.map((line) => line.slice(5).trimStart()).join('\n'));
    }
  }
}
