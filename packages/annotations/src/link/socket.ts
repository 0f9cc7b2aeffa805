/** The link over WebSocket. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ToolError } from '@parley/kit';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import type { AnnotationServices } from '../services/index.ts';
import { Connection } from './connection.ts';
import { answerMessage, errorMessage } from './dispatch.ts';
import { openSession, readyPayload } from './greeting.ts';
import type { LinkHub } from './hub.ts';
import { BadMessage, readMessage } from './inbox.ts';
import { CLOSE } from './messages.ts';

// Past the cap a page is told so; past this it is cut off before the bytes are held.
const CUT_OFF_FACTOR = 4;
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** Takes over upgraded sockets of pages whose Origin was checked. */
export interface SocketLink {
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, origin: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates the link. */
export function createSocketLink(services: AnnotationServices, hub: LinkHub): SocketLink {
  let loading: Promise<WebSocketServer> | undefined;
  let isClosed = false;
  return {
    async accept(req, socket, head, origin) {
      loading ??= loadServer(services.limits.messageBytes * CUT_OFF_FACTOR);
      const server = await loading;
      if (isClosed) {
        socket.destroy();
        return;
      }
      server.handleUpgrade(req, socket, head, (ws) => {
        const page = new SocketPage(services, hub, ws, origin);
        page.start();
      });
    },
    async close() {
      isClosed = true;
      const server = await loading;
      for (const client of server?.clients ?? []) client.close(1001, 'The server stops.');
      server?.close();
    },
  };
}

/** Loaded by the first page that connects, so that commands without pages do not pay for it. */
async function loadServer(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer: Server } = await import('ws');
  return new Server({ noServer: true, maxPayload, perMessageDeflate: false });
}

/** One socket, from its hello to its end. */
class SocketPage {
  readonly #services: AnnotationServices;
  readonly #hub: LinkHub;
  readonly #ws: WebSocket;
  readonly #origin: string;
  #connection: Connection | undefined;
  #isGreeted = false;
  #early = 0;
  /** Messages of one page are carried out in the order they came. */
  #work: Promise<void> = Promise.resolve();

  constructor(services: AnnotationServices, hub: LinkHub, ws: WebSocket, origin: string) {
    this.#services = services;
    this.#hub = hub;
    this.#ws = ws;
    this.#origin = origin;
  }

  start(): void {
    const timer = setTimeout(
      () => this.#ws.close(CLOSE.unauthorized, 'No hello came in time.'),
      this.#services.limits.helloMs,
    );
    this.#ws.on('message', (data, isBinary) => {
      const wasGreeted = this.#isGreeted;
      this.#isGreeted = true;
      clearTimeout(timer);
      if (!this.#admit(wasGreeted)) return;
      this.#work = this.#work
        .then(() => this.#receive(textOf(data, isBinary), wasGreeted))
        .catch((error: unknown) => this.#services.onFault(error, 'annotation link'));
    });
    this.#ws.on('close', () => {
      clearTimeout(timer);
      // The hello may still be on its way to becoming a connection.
      void this.#work.finally(() => this.#connection && this.#hub.remove(this.#connection));
    });
    this.#ws.on('error', () => this.#ws.terminate());
  }

  /** False when the page sends faster than it may. */
  #admit(wasGreeted: boolean): boolean {
    const connection = this.#connection;
    if (connection === undefined) {
      // What follows a hello at once waits for it, within the same burst.
      this.#early += 1;
      const isWithin = this.#early <= this.#services.limits.messageBurst;
      if (!isWithin) this.#ws.close(CLOSE.tooMuch, 'Too many messages before the hello was answered.');
      return isWithin;
    }
    if (!wasGreeted) return true;
    connection.heard();
    if (this.#hub.meterOf(connection.session.id).take()) return true;
    this.#violate(
      new ToolError('rate_limited', 'This page sends too fast. Wait a second, then send the message again.'),
    );
    return false;
  }

  async #receive(text: string | undefined, wasGreeted: boolean): Promise<void> {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    if (!wasGreeted) return this.#greet(text);
    const connection = this.#connection;
    if (connection === undefined) return;
    const { messageBytes } = this.#services.limits;
    if (text !== undefined && Buffer.byteLength(text) > messageBytes) {
      this.#violate(new BadMessage(`A message has at most ${messageBytes} bytes.`));
      return;
    }
    try {
      connection.send(await answerMessage(this.#services, connection.session, readMessage(text ?? '')));
    } catch (error) {
      connection.send(errorMessage(error, undefined, this.#services.onFault));
    }
  }

  async #greet(text: string | undefined): Promise<void> {
    try {
      const message = readMessage(text ?? '');
      if (message.type !== 'hello') throw new BadMessage('The first message must be hello.', message.id);
      const opened = await openSession(this.#services, this.#origin, message.payload);
      const connection = new Connection(opened.row, this.#channel(), this.#services.now);
      this.#connection = connection;
      this.#hub.add(connection);
      const hasMissed = connection.ready(await readyPayload(this.#services, opened), message.id);
      if (hasMissed) connection.sync(await this.#services.notes.ofSession(opened.row.id));
    } catch (error) {
      const answer = errorMessage(error, undefined, this.#services.onFault);
      this.#ws.send(JSON.stringify(answer));
      const isFull = answer.payload.code === 'rate_limited';
      const code = answer.payload.code === 'unavailable' ? 1013 : isFull ? CLOSE.tooMuch : CLOSE.unauthorized;
      this.#ws.close(code, 'No valid hello.');
    }
  }

  #violate(error: ToolError): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.send(errorMessage(error, undefined, this.#services.onFault));
    if (this.#hub.meterOf(connection.session.id).isTooMuch()) {
      this.#ws.close(CLOSE.tooMuch, 'Too many messages over the limits.');
    }
  }

  #channel() {
    const ws = this.#ws;
    return {
      send(text: string) {
        if (ws.readyState !== ws.OPEN) return;
        // A page that reads nothing must not fill the memory; it syncs when it comes back.
        if (ws.bufferedAmount > MAX_BUFFERED_BYTES) ws.terminate();
        else ws.send(text);
      },
      close(code: number, reason: string) {
        ws.close(code, reason);
      },
    };
  }
}

function textOf(data: RawData, isBinary: boolean): string | undefined {
  if (isBinary) return undefined;
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as Buffer).toString('utf8'); // without fragments ws gives one buffer
}
