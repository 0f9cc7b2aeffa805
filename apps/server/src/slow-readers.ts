/** Answers that nobody reads: what waits in the sockets of all connections is bounded, and a client that stops reading is cut. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Pipelines } from './pipelines.ts';

/** How much may wait, and how long. */
export interface SlowReaderLimits {
  /** A connection may always have this much unread. */
  readonly freeBytes: number;
  /** All connections together may have this much more. */
  readonly sharedBytes: number;
  /** A connection that has taken nothing for so long is not being read. */
  readonly patienceMs: number;
}

const DEFAULTS: SlowReaderLimits = {
  freeBytes: 64 * 1024,
  sharedBytes: 128 * 1024 * 1024,
  patienceMs: 30_000,
};
const LOOK_EVERY_MS = 500;
/** What a request holds that was parsed and waits for the answers before it. */
const WAITING_BYTES = 4 * 1024;

/** What was seen of a connection that has much unread. */
interface Seen {
  /** Bytes that the other side had taken. */
  readonly taken: number;
  readonly sinceMs: number;
}

/** Looks at the connections of a server; nothing is added to the way of a request. */
export function cutSlowReaders(
  server: Server,
  { waitingOn }: Pick<Pipelines, 'waitingOn'>,
  options: Partial<SlowReaderLimits> = {},
): void {
  const unreadOf = (socket: Socket) => socket.writableLength + waitingOn(socket) * WAITING_BYTES;
  const limits = { ...DEFAULTS, ...options };
  const sockets = new Set<Socket>();
  const seen = new WeakMap<Socket, Seen>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const looking = setInterval(() => look({ sockets, seen, limits, unreadOf }), LOOK_EVERY_MS).unref();
  server.once('close', () => clearInterval(looking));
}

interface Watch {
  readonly sockets: Iterable<Socket>;
  readonly seen: WeakMap<Socket, Seen>;
  readonly limits: SlowReaderLimits;
  unreadOf(socket: Socket): number;
}

function look({ sockets, seen, limits, unreadOf }: Watch): void {
  const nowMs = performance.now();
  const waiting: { socket: Socket; unread: number; sinceMs: number }[] = [];
  let total = 0;
  for (const socket of sockets) {
    const unread = unreadOf(socket);
    if (unread <= limits.freeBytes) {
      seen.delete(socket);
      continue;
    }
    const taken = (socket.bytesWritten ?? 0) - socket.writableLength;
    const before = seen.get(socket);
    const sinceMs = before !== undefined && before.taken === taken ? before.sinceMs : nowMs;
    seen.set(socket, { taken, sinceMs });
    if (nowMs - sinceMs >= limits.patienceMs) {
      socket.destroy();
      continue;
    }
    total += unread;
    waiting.push({ socket, unread, sinceMs });
  }
  if (total <= limits.sharedBytes) return;
  // Who has taken nothing for longest goes first, and of those who read the one with the most.
  waiting.sort((left, right) => left.sinceMs - right.sinceMs || right.unread - left.unread);
  for (const { socket, unread } of waiting) {
    if (total <= limits.sharedBytes) return;
    socket.destroy();
    total -= unread;
  }
}
