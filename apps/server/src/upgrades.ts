/** Every offer to leave HTTP, and every request that is broken below it: answered here, on sockets that may vanish. */
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpRefusal, refusalJson } from '@parley/gateway';
import type { RouteSet } from '@parley/kit';

// Time for the answer to arrive; a peer that holds its half open must not keep the socket.
const LINGER_MS = 1000;

/** What an offer is judged by. */
export interface UpgradeOptions {
  /** Throws a refusal for a Host or Origin that is not ours. */
  checkDoor(req: IncomingMessage): void;
  routesFor(url: string): RouteSet | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

/** True for an offer of WebSocket; any other offer is answered as if it had not been made. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Creates the one listener for upgrades: it hands the offer to routes that speak WebSocket, or refuses it. */
export function createUpgrades(options: UpgradeOptions) {
  return (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node has taken its own listener off, and an error without one ends the process.
    socket.on('error', () => socket.destroy());
    const routes = options.routesFor(req.url ?? '/');
    try {
      // Routes that speak WebSocket have a door of their own: pages of other origins may come in there.
      if (routes?.upgrade !== undefined && isWebSocket(req)) return routes.upgrade(req, socket, head);
      options.checkDoor(req);
      throw new HttpRefusal(400, -32600, 'WebSocket is not spoken at this URL.');
    } catch (error) {
      if (!(error instanceof HttpRefusal)) options.onFault(error, 'upgrade');
      const refusal = error instanceof HttpRefusal ? error : new HttpRefusal(500, -32603, 'Internal error');
      answerRaw(socket, refusal, routes);
    }
  };
}

/** Writes a refusal to a socket that has no response object, and lets go of the socket. */
export function answerRaw(socket: Duplex, refusal: HttpRefusal, routes: RouteSet | undefined): void {
  const { status, message } = refusal;
  const body = routes?.refusal?.(status, message) ?? refusalJson(refusal);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
