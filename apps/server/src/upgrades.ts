/** Every offer to leave HTTP, and every request that is broken below it: answered here, on sockets that may vanish. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusalJson } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import { answerRaw, HttpRefusal, internalError } from '@parley/http';

/** What an offer is judged by. */
export interface UpgradeOptions {
  /** Throws a refusal for a Host or Origin that is not ours. */
  checkDoor(req: IncomingMessage): void;
  routesFor(url: string): RouteSet | undefined;
  /** False while an earlier answer is due on the connection. */
  isFree(socket: Socket): boolean;
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
    // An answer that is still due could not be told from what comes after the offer.
    if (!options.isFree(req.socket)) {
      socket.destroy();
      return;
    }
    const routes = options.routesFor(req.url ?? '/');
    try {
      // Routes that speak WebSocket have a door of their own: pages of other origins may come in there.
      if (routes?.upgrade !== undefined && isWebSocket(req)) return routes.upgrade(req, socket, head);
      options.checkDoor(req);
      throw new HttpRefusal(400, 'WebSocket is not spoken at this URL.', { rpc: -32600 });
    } catch (error) {
      if (!(error instanceof HttpRefusal)) options.onFault(error, 'upgrade');
      const refusal = error instanceof HttpRefusal ? error : internalError();
      refuseRaw(socket, refusal, routes);
    }
  };
}

/** Writes a refusal in the form of the routes it was meant for. */
export function refuseRaw(socket: Duplex, refusal: HttpRefusal, routes: RouteSet | undefined): void {
  const { status, message } = refusal;
  answerRaw(
    socket,
    status,
    routes?.refusal?.(status, message) ?? { type: 'application/json', body: refusalJson(refusal) },
  );
}
