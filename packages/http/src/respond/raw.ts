/** Answers on sockets that have no response object: refused upgrades, and requests that are broken below HTTP. */
import type { Duplex } from 'node:stream';

// Time for the answer to arrive; a peer that holds its half open must not keep the socket.
const LINGER_MS = 1000;

/** Writes an answer and lets go of the socket, which may vanish at any moment. */
export function answerRaw(
  socket: Duplex,
  status: number,
  { type, body }: { readonly type: string; readonly body: string },
): void {
  // Taken when first needed: a server over stdio starts without loading node:http.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
