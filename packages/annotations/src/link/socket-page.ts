/** One page with a socket, from its hello to its end. */
import type { Duplex } from 'node:stream';
import type { Outlet } from '@parley/http';
import { ToolError } from '@parley/kit';
import type { RawData, WebSocket } from 'ws';
import type { AnnotationServices } from '../services/index.ts';
import type { Channel } from './connection.ts';
import { PageLink } from './connection.ts';
import { answerMessage, errorMessage } from './dispatch.ts';
import { openSession, readyPayload } from './greeting.ts';
import type { LinkHub } from './hub.ts';
import { BadMessage, readMessage } from './inbox.ts';
import { CLOSE } from './messages.ts';

export interface SocketParts {
  readonly services: AnnotationServices;
  readonly hub: LinkHub;
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly origin: string;
  /** Told when the page has said hello. */
  onGreeted(): void;
}

const PARTING_MS = 1000;

/** Says why, then goes; a peer that does not answer is not waited for. */
export function part(ws: WebSocket, code: number, reason: string): void {
  if (ws.readyState !== ws.OPEN) return;
  ws.close(code, reason);
  const timer = setTimeout(() => ws.terminate(), PARTING_MS).unref();
  ws.once('close', () => clearTimeout(timer));
}

/** Carries the messages of one page. */
export class SocketPage {
  readonly #parts: SocketParts;
  readonly #services: AnnotationServices;
  readonly #hub: LinkHub;
  readonly #ws: WebSocket;
  #connection: PageLink | undefined;
  #isGreeted = false;
  #early = 0;
  /** Messages of one page are carried out in the order they came. */
  #work: Promise<void> = Promise.resolve();

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#services = parts.services;
    this.#hub = parts.hub;
    this.#ws = parts.ws;
  }

  start(): void {
    const ws = this.#ws;
    const timer = setTimeout(() => this.#refuse('No hello came in time.'), this.#services.limits.helloMs);
    ws.on('message', (data, isBinary) => {
      const wasGreeted = this.#isGreeted;
      this.#isGreeted = true;
      clearTimeout(timer);
      if (!this.#admit(wasGreeted)) return;
      this.#run(() => this.#receive(textOf(data, isBinary), wasGreeted));
    });
    ws.on('close', () => {
      clearTimeout(timer);
      // The hello may still be on its way to becoming a connection.
      this.#run(async () => {
        if (this.#connection !== undefined) this.#hub.remove(this.#connection);
      });
    });
    ws.on('error', () => ws.terminate());
    this.#countFirstBytes();
  }

  /** A page that has not said hello may send no more than a hello has; the frame itself may say any length. */
  #countFirstBytes(): void {
    const { socket } = this.#parts;
    let sizeBytes = 0;
    // Stands after the listener of `ws`, so a hello that is whole was heard by now.
    const count = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (this.#isGreeted) socket.off('data', count);
      else if (sizeBytes > this.#services.limits.helloBytes) this.#refuse('The hello is too long.');
    };
    socket.on('data', count);
  }

  /** Nobody is waited for who has not said who they are. */
  #refuse(reason: string): void {
    this.#ws.close(CLOSE.unauthorized, reason);
    this.#ws.terminate();
  }

  #run(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.#services.onFault(error, 'annotation link'));
  }

  /** False when the page sends faster than it may. */
  #admit(wasGreeted: boolean): boolean {
    const connection = this.#connection;
    if (connection === undefined) {
      // What follows a hello at once waits for it, within the same burst.
      this.#early += 1;
      const isWithin = this.#early <= this.#services.limits.messageBurst;
      if (!isWithin) part(this.#ws, CLOSE.tooMuch, 'Too many messages before the hello was answered.');
      return isWithin;
    }
    if (!wasGreeted) return true;
    connection.heard();
    if (this.#hub.meter.take(connection.session.id)) return true;
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
    const { services, origin, onGreeted } = this.#parts;
    const { helloBytes } = services.limits;
    // Until it is known who speaks, nothing more is read than has arrived with the hello.
    this.#ws.pause();
    try {
      if (text !== undefined && Buffer.byteLength(text) > helloBytes)
        throw new BadMessage(`A hello has at most ${helloBytes} bytes.`);
      const message = readMessage(text ?? '');
      if (message.type !== 'hello') throw new BadMessage('The first message must be hello.', message.id);
      const opened = await openSession(services, origin, message.payload);
      const connection = new PageLink(opened.row, this.#channel(), services.now);
      this.#hub.add(connection);
      this.#connection = connection;
      onGreeted();
      const hasMissed = connection.ready(await readyPayload(services, opened), message.id);
      if (hasMissed) connection.sync(await services.notes.ofSession(opened.row.id));
    } catch (error) {
      const answer = errorMessage(error, undefined, services.onFault);
      this.#ws.send(JSON.stringify(answer));
      const isFull = answer.payload.code === 'rate_limited';
      const code = answer.payload.code === 'unavailable' ? 1013 : isFull ? CLOSE.tooMuch : CLOSE.unauthorized;
      part(this.#ws, code, 'No valid hello.');
    } finally {
      this.#ws.resume();
    }
  }

  #violate(error: ToolError): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.send(errorMessage(error, undefined, this.#services.onFault));
    if (this.#hub.meter.noteViolation(connection.session.id)) {
      part(this.#ws, CLOSE.tooMuch, 'Too many messages over the limits.');
    }
  }

  #channel(): Channel {
    const ws = this.#ws;
    const { unread } = this.#hub;
    const outlet: Outlet = { unreadBytes: () => ws.bufferedAmount, cut: () => ws.terminate() };
    ws.once('close', () => unread.forget(outlet));
    return {
      send(text) {
        if (ws.readyState !== ws.OPEN) return;
        // A page that reads nothing must not fill the memory; it syncs when it comes back.
        if (unread.admit(outlet, Buffer.byteLength(text))) ws.send(text);
      },
      close: (code, reason) => part(ws, code, reason),
    };
  }
}

function textOf(data: RawData, isBinary: boolean): string | undefined {
  if (isBinary) return undefined;
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as Buffer).toString('utf8'); // without fragments ws gives one buffer
}
