/** Answers on sockets that have no response object: refused upgrades, and requests that are broken below HTTP. */
import type { Duplex } from 'node:stream';

// Time for the answer to arrive; a peer that holds its half open must not keep the socket.
const LINGER_MS = 1000;
// Those of node:http, which takes a server over stdio too long to load; a reason may also be empty.
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  421: 'Misdirected Request',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

/** Writes an answer and lets go of the socket, which may vanish at any moment. */
export function answerRaw(
  socket: Duplex,
  status: number,
  { type, body }: { readonly type: string; readonly body: string },
): void {
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
