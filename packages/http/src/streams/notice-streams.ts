/** Live notices: which lists have changed, to clients that listen, for as long as they may. */
import type { ServerResponse } from 'node:http';
import { IDENTITY_CHANGED } from '@parley/identity';
import { DueWork } from '@parley/kit';
import type { ChangeSignal, SignalEvent } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import { tooManyStreams } from '../refusal.ts';
import { Places } from './places.ts';
import { endOrDestroy } from './unread.ts';

/** What can change, and how it is called. */
export interface NoticeSource {
  /** Each is told by the signal `<toolset>.<noun>`, and so is its event called. */
  readonly nouns: readonly string[];
  /** The noun that has changed when members or roles have. */
  readonly people?: string;
}

/** How many streams there may be, and how often each shows that it lives. */
export interface StreamLimits {
  readonly perCaller: number;
  readonly perOrganization: number;
  readonly perProcess: number;
  /** Access is checked again as often. */
  readonly keepAliveMs: number;
}

/** Somebody who listens. */
interface Stream {
  readonly callerId: string;
  readonly organizationId: string;
  readonly res: ServerResponse;
  /** Whether the caller may still listen. */
  mayStay(): Promise<boolean>;
}

/** The streams of this process. */
export interface Streams {
  /** Takes a place, which is free again when the connection ends; throws when there is none. */
  open(stream: Stream): { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** How many are open. */
  readonly size: number;
  /** Ends all of them. */
  close(): void;
}

const DEFAULT_LIMITS: StreamLimits = {
  perCaller: 10,
  perOrganization: 50,
  perProcess: 500,
  keepAliveMs: 15_000,
};
const COALESCE_MS = 100;
// Notices are small; who has this much unread is not reading.
const MAX_UNREAD_BYTES = 64 * 1024;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** What the streams of a toolset tell of, and where they hear it. */
export interface StreamParts extends NoticeSource {
  readonly toolset: string;
  readonly signal: ChangeSignal;
}

/** Listens to the changes of the store for all streams at once. */
export function createNoticeStreams(parts: StreamParts, options: Partial<StreamLimits> = {}): Streams {
  const { toolset, signal, nouns: all, people } = parts;
  const limits = { ...DEFAULT_LIMITS, ...options };
  const nounOf = new Map(all.map((noun) => [`${toolset}.${noun}`, noun]));
  if (people !== undefined) nounOf.set(IDENTITY_CHANGED, people);
  const places = new Places();
  const streams = new Set<Stream>();
  const due = new Map<string, Set<string>>();
  let timer: NodeJS.Timeout | undefined;

  // A change of members concerns everybody at once.
  const checks = new DueWork<Stream>({ work: check, onFault: () => undefined });

  const flush = () => {
    timer = undefined;
    for (const stream of streams)
      for (const noun of due.get(stream.organizationId) ?? [])
        send(stream, `event: ${toolset}.${noun}\ndata: ${JSON.stringify({ noun })}\n\n`);
    due.clear();
  };

  const note = ({ topic, payload }: SignalEvent) => {
    const isUnsure = topic === '*';
    const noun = nounOf.get(topic);
    // Something may have been missed, so everybody reads everything again.
    const nouns = isUnsure ? all : noun === undefined ? [] : [noun];
    for (const stream of streams) {
      const { organizationId } = stream;
      if (!isUnsure && payload !== organizationId) continue;
      if (nouns.length > 0) due.set(organizationId, new Set([...(due.get(organizationId) ?? []), ...nouns]));
      if (isUnsure || topic === IDENTITY_CHANGED) checks.add(stream);
    }
    if (due.size > 0) timer ??= setTimeout(flush, COALESCE_MS).unref();
  };

  const unlisten = [`${toolset}.`, IDENTITY_CHANGED].map((prefix) => signal.subscribe(prefix, note));
  const keepAlive = setInterval(() => {
    for (const stream of streams) {
      send(stream, ': still here\n\n');
      checks.add(stream);
    }
  }, limits.keepAliveMs).unref();

  return {
    open(stream) {
      const { res, callerId, organizationId } = stream;
      const leave = places.take([
        [`caller ${callerId}`, limits.perCaller],
        [`organization ${organizationId}`, limits.perOrganization],
        ['process', limits.perProcess],
      ]);
      if (leave === undefined) throw tooManyStreams();
      if (res.destroyed) leave();
      else {
        streams.add(stream);
        res.on('error', () => res.destroy());
        res.once('close', () => {
          leave();
          streams.delete(stream);
          checks.delete(stream);
        });
      }
      return { headers: HEADERS, body: ': listening\n\n' };
    },
    get size() {
      return streams.size;
    },
    close() {
      clearInterval(keepAlive);
      clearTimeout(timer);
      for (const end of unlisten) end();
      checks.close();
      for (const { res } of streams) endOrDestroy(res);
    },
  };
}

/** Ends a stream whose caller may not listen any more. */
async function check({ res, mayStay }: Stream): Promise<void> {
  // A database that is away says nothing about rights; the next check does.
  const isAllowed = await mayStay().catch((error: unknown) => error instanceof StoreUnavailableError);
  if (!isAllowed) endOrDestroy(res);
}

function send({ res }: Stream, text: string): void {
  if (!res.headersSent || res.writableEnded) return;
  if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
  else res.write(text);
}
