/** Feeds: streams of messages with a cursor each, so that a client that comes back misses none. */
import type { ServerResponse } from 'node:http';
import { IDENTITY_CHANGED } from '@parley/identity';
import { detach, DueWork } from '@parley/kit';
import type { ChangeSignal, SignalEvent } from '@parley/store';
import { tooManyStreams } from '../refusal.ts';
import { Places } from './places.ts';
import { endOrDestroy } from './unread.ts';

/** One message of a feed. */
export interface FeedMessage {
  /** Where a client goes on after it. */
  readonly cursor: string;
  /** Text without line breaks. */
  readonly data: string;
}

/** Some messages of a feed. */
export interface FeedPage {
  readonly messages: readonly FeedMessage[];
  /** Where to go on after all of them; later than the last one when others were passed over. */
  readonly cursor: string;
  /** Whether there may be more at once. */
  readonly hasMore: boolean;
}

/** What one stream tells. */
export interface Feed {
  /** Where a client begins that says where it was, or says nothing. */
  begin(lastEventId: string | undefined): Promise<string>;
  /** The next messages after a cursor. */
  next(cursor: string): Promise<FeedPage>;
  /** Whether a signal may mean more for this feed. */
  concerns(event: SignalEvent): boolean;
}

/** How many feeds there may be, and how often each shows that it lives. */
export interface FeedLimits {
  readonly perOrganization: number;
  readonly perProcess: number;
  readonly keepAliveMs: number;
  /** Access is checked again as often. */
  readonly checkMs: number;
  /** Who leaves more than this unread is waited for, and cut off after a while. */
  readonly unreadBytes: number;
  readonly patienceMs: number;
}

/** Somebody who listens. */
export interface Listener {
  readonly organizationId: string;
  readonly res: ServerResponse;
  readonly lastEventId: string | undefined;
  readonly feed: Feed;
  /** Whether the caller may still listen. */
  mayStay(): Promise<boolean>;
}

/** The feeds of this process. */
export interface FeedStreams {
  /** Takes a place, which is free again when the connection ends; throws when there is none. */
  open(
    listener: Listener,
  ): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: string }>;
  /** How many are open. */
  readonly size: number;
  /** Ends all of them. */
  close(): void;
}

const DEFAULT_LIMITS: FeedLimits = {
  perOrganization: 50,
  perProcess: 500,
  keepAliveMs: 15_000,
  checkMs: 60_000,
  unreadBytes: 64 * 1024,
  patienceMs: 30_000,
};

// Few, because requests need the database meanwhile.
const READS_AT_ONCE = 4;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

interface Stream extends Listener {
  cursor: string;
  /** Runs while the client has too much unread. */
  patience: NodeJS.Timeout | undefined;
}

export interface FeedParts {
  readonly signal: ChangeSignal;
  readonly onFault: (error: unknown) => void;
}

/** Listens to the changes of the store for all feeds at once. */
export function createFeedStreams(
  { signal, onFault }: FeedParts,
  options: Partial<FeedLimits> = {},
): FeedStreams {
  const limits = { ...DEFAULT_LIMITS, ...options };
  const places = new Places();
  const streams = new Set<Stream>();
  const checks = new DueWork<Stream>({ work: check, onFault: () => undefined });
  const reads = createReads((stream) => tellMore(stream, limits), onFault);

  const note = (event: SignalEvent) => {
    const isUnsure = event.topic === '*';
    for (const stream of streams) {
      if (isUnsure || stream.feed.concerns(event)) reads.add(stream);
      if (isUnsure || (event.topic === IDENTITY_CHANGED && event.payload === stream.organizationId))
        checks.add(stream);
    }
  };
  const unlisten = signal.subscribe('', note);
  const keepAlive = setInterval(() => {
    for (const stream of streams) {
      if (isReadable(stream)) stream.res.write(': still here\n\n');
      // In case a signal was lost, or a read failed.
      reads.add(stream);
    }
  }, limits.keepAliveMs).unref();
  const checking = setInterval(() => {
    for (const stream of streams) checks.add(stream);
  }, limits.checkMs).unref();

  function follow(stream: Stream): void {
    const { res } = stream;
    streams.add(stream);
    res.on('drain', () => {
      clearTimeout(stream.patience);
      stream.patience = undefined;
      reads.add(stream);
    });
    res.once('close', () => {
      clearTimeout(stream.patience);
      streams.delete(stream);
      checks.delete(stream);
      reads.delete(stream);
    });
    // What happened since the cursor, once the headers are out.
    setImmediate(() => reads.add(stream));
  }

  return {
    async open(listener) {
      const { res, organizationId, feed, lastEventId } = listener;
      const leave = places.take([
        [`organization ${organizationId}`, limits.perOrganization],
        ['process', limits.perProcess],
      ]);
      if (leave === undefined) throw tooManyStreams();
      res.on('error', () => res.destroy());
      res.once('close', leave);
      try {
        const cursor = await feed.begin(lastEventId);
        if (res.destroyed) leave();
        else follow({ ...listener, cursor, patience: undefined });
      } catch (error) {
        leave();
        throw error;
      }
      return { headers: HEADERS, body: ': listening\n\n' };
    },
    get size() {
      return streams.size;
    },
    close() {
      clearInterval(keepAlive);
      clearInterval(checking);
      unlisten();
      checks.close();
      for (const { res } of streams) endOrDestroy(res);
    },
  };
}

/** Ends a stream whose caller may not listen any more. */
async function check({ res, mayStay }: Stream): Promise<void> {
  // What cannot be checked ends too: a client that may listen comes back.
  const isAllowed = await mayStay().catch(() => false);
  if (!isAllowed) endOrDestroy(res);
}

function isReadable({ res, patience }: Stream): boolean {
  return res.headersSent && !res.writableEnded && !res.destroyed && patience === undefined;
}

/** Tells what there is after the cursor; true when there may be more at once. */
async function tellMore(stream: Stream, { unreadBytes, patienceMs }: FeedLimits): Promise<boolean> {
  if (!isReadable(stream)) return false;
  const { res, feed } = stream;
  const { messages, cursor, hasMore } = await feed.next(stream.cursor);
  for (const message of messages) {
    if (!isReadable(stream)) return false;
    const isTaken = res.write(`id: ${message.cursor}\ndata: ${message.data}\n\n`);
    stream.cursor = message.cursor;
    if (isTaken || res.writableLength <= unreadBytes) continue;
    // Goes on when the client has read it.
    stream.patience = setTimeout(() => res.destroy(), patienceMs).unref();
  }
  stream.cursor = cursor;
  return hasMore;
}

/** Reads for streams, a few at a time and never twice at once for the same. */
function createReads(read: (stream: Stream) => Promise<boolean>, onFault: (error: unknown) => void) {
  const due = new Set<Stream>();
  const running = new Set<Stream>();

  function next(): Stream | undefined {
    for (const stream of due) if (!running.has(stream)) return stream;
    return undefined;
  }

  async function run(): Promise<void> {
    for (let stream = next(); stream !== undefined; stream = next()) {
      due.delete(stream);
      running.add(stream);
      try {
        if (await read(stream)) due.add(stream);
      } catch (error) {
        onFault(error);
      } finally {
        running.delete(stream);
      }
    }
  }

  return {
    add(stream: Stream): void {
      due.add(stream);
      if (running.size < READS_AT_ONCE && !running.has(stream)) detach(run(), onFault);
    },
    delete: (stream: Stream) => due.delete(stream),
  };
}
