/** A client that opens a stream and then reads nothing, on a bare socket. */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { Sending } from '@parley/test-support/wire';

/** A stream that nobody reads. */
export interface UnreadStream {
  readonly status: number;
  /** Reads on to the end of the connection and counts. */
  restBytes(): Promise<number>;
  /** Ends the connection in the middle, as a lost network does. */
  reset(): void;
}

/** Sends the request, reads the head of the answer and stops reading. */
export async function openUnread({
  port,
  key,
  path,
  method,
  headers = {},
  body = '',
}: Sending): Promise<UnreadStream> {
  const socket = connect(port, '127.0.0.1');
  // However it ends, the test looks at the server.
  socket.on('error', () => undefined);
  const fields = { host: `127.0.0.1:${port}`, authorization: `Bearer ${key ?? ''}`, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}`);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  socket.write([`${method ?? 'POST'} ${path ?? '/mcp'} HTTP/1.1`, ...lines, length, '', body].join('\r\n'));
  const head = await firstChunk(socket);
  socket.pause();
  return {
    status: Number(head.split(' ')[1]),
    restBytes: () => countRest(socket),
    reset: () => socket.resetAndDestroy(),
  };
}

function firstChunk(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk) => resolve(chunk.toString('utf8')));
    socket.once('close', () => reject(new Error('The server closed the connection without an answer.')));
  });
}

function countRest(socket: Socket): Promise<number> {
  let sizeBytes = 0;
  return new Promise((resolve) => {
    socket.once('close', () => resolve(sizeBytes));
    socket.on('data', (chunk) => (sizeBytes += chunk.length)).resume();
  });
}
