/** The link over WebSocket: how sockets come in and go. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpRefusal, Places } from '@parley/http';
import type { WebSocketServer } from 'ws';
import type { AnnotationServices } from '../services/index.ts';
import type { LinkHub } from './hub.ts';
import { part, SocketPage } from './socket-page.ts';

// Past the cap a page is told so; past this it is cut off before the bytes are held.
const CUT_OFF_FACTOR = 4;

/** Takes over upgraded sockets of pages whose Origin was checked. */
export interface SocketLink {
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, origin: string): Promise<void>;
  close(): Promise<void>;
}

export function createSocketLink(services: AnnotationServices, hub: LinkHub): SocketLink {
  const { limits } = services;
  const ungreeted = new Places();
  let loading: Promise<WebSocketServer> | undefined;
  let isClosed = false;
  return {
    async accept(req, socket, head, origin) {
      // Node takes its own listener off a socket that is upgraded, and ours may leave at any moment.
      socket.on('error', () => socket.destroy());
      const onGreeted = ungreeted.take([
        [`address ${req.socket.remoteAddress ?? ''}`, limits.ungreetedPerAddress],
        ['process', limits.ungreetedPerProcess],
      ]);
      if (onGreeted === undefined)
        throw new HttpRefusal(429, 'Too many pages are connecting. Try again in a moment.');
      socket.once('close', onGreeted);
      loading ??= loadServer(limits.messageBytes * CUT_OFF_FACTOR);
      const server = await loading;
      if (isClosed) {
        socket.destroy();
        return;
      }
      server.handleUpgrade(req, socket, head, (ws) => {
        new SocketPage({ services, hub, ws, socket, origin, onGreeted }).start();
      });
    },
    async close() {
      isClosed = true;
      const server = await loading;
      for (const client of server?.clients ?? []) part(client, 1001, 'The server stops.');
      server?.close();
    },
  };
}

/** Loaded by the first page that connects, so that commands without pages do not pay for it. */
async function loadServer(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer: Server } = await import('ws');
  return new Server({ noServer: true, maxPayload, perMessageDeflate: false });
}
