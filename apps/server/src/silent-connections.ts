/** Connections on which nothing has come yet: older versions of Node take them for busy, and a stop would wait for their first request. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Closes those that have said nothing; a client that opened one ahead of its need opens another elsewhere. */
export interface SilentConnections {
  close(): void;
}

/** Follows the connections of a server; nothing is added to the way of a request. */
export function createSilentConnections(server: Server): SilentConnections {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    close() {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
