/** The live streams of the console: one for each tab, told what has changed for as long as its person may see it. */
import type { ServerResponse } from 'node:http';
import { endOrDestroy, Places } from '@parley/http';
import type { SignedIn } from '@parley/http/rest';
import { HttpRefusal } from '@parley/http';
import { IDENTITY_CHANGED } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { DueWork, mayAdminister } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { SignalEvent } from '@parley/store';
import type { Host } from '../../start/host.ts';
import { heardBy } from './rights.ts';
import type { Happening, Topic } from './topics.ts';
import { meaningOf, sessionsOf } from './topics.ts';
import { whereTasksBelong } from './task-places.ts';
import { ownersOf } from '../task-owners.ts';

/** How much there may be, and how often each shows that it lives. */
export interface LiveLimits {
  readonly perPerson: number;
  readonly perOrganization: number;
  readonly perProcess: number;
  /** Access is checked again as often. */
  readonly keepAliveMs: number;
  readonly coalesceMs: number;
}

const DEFAULT_LIMITS: LiveLimits = {
  perPerson: 30,
  perOrganization: 500,
  perProcess: 2000,
  keepAliveMs: 15_000,
  coalesceMs: 50,
};

// Whoever is told of more than this at once looks at everything again.
const MOST_IDS = 100;
// Notices are small; who has this much unread is not reading, and comes back for all of it.
const MAX_UNREAD_BYTES = 64 * 1024;

/** A tab that listens. */
interface Stream {
  readonly res: ServerResponse;
  readonly session: SignedIn;
  readonly wanted: ReadonlySet<Topic>;
  readonly organizationId: string;
  heard: ReadonlySet<Topic>;
  /** What the person may do, to see that it has changed. */
  rights: string;
  /** Whose tasks the person sees; undefined: those of everybody. */
  owners: ReadonlySet<string> | undefined;
}

export interface LiveStreams {
  open(res: ServerResponse, session: SignedIn, wanted: Iterable<Topic>): Promise<void>;
  /** How many listen. */
  readonly size: number;
  /** Something happened that no signal tells. */
  tell(happening: Happening): void;
  close(): void;
}

type LiveHost = Pick<Host, 'store' | 'identity' | 'engine' | 'onFault'>;

/** Listens to the store once somebody listens here. */
export function createLiveStreams(host: LiveHost, options: Partial<LiveLimits> = {}): LiveStreams {
  const { store, identity } = host;
  const limits = { ...DEFAULT_LIMITS, ...options };
  const places = new Places();
  const streams = new Set<Stream>();
  const due = new Map<string, Happening>();
  const tasks = new Set<string>();
  let isUnsure = false;
  let timer: NodeJS.Timeout | undefined;
  let version = Date.now();
  let unlisten: (() => void) | undefined;
  let keepAlive: NodeJS.Timeout | undefined;

  const checks = new DueWork<Stream>({
    work: check,
    onFault: (error) => host.onFault(error, 'console live'),
  });

  /** Ends the stream of somebody who is signed out or has gone elsewhere, and looks what the others may hear. */
  async function check(stream: Stream): Promise<void> {
    const { res, session, organizationId, wanted } = stream;
    try {
      const found = await identity.web.find(session.token);
      if (found?.caller.organizationId !== organizationId) {
        return found === undefined ? signOut(res) : endOrDestroy(res);
      }
      stream.heard = heardBy(host.engine(), found.caller, wanted);
      stream.owners = await seenOwners(found.caller);
      const rights = rightsOf(found.caller);
      // What is on their screens may not be theirs any more, and other screens may be.
      if (rights !== stream.rights) send(stream, lineOf('*', null));
      stream.rights = rights;
    } catch (error) {
      // A database that is away says nothing about rights; the next check does.
      if (!(error instanceof StoreUnavailableError)) endOrDestroy(res);
    }
  }

  const seenOwners = async (caller: Caller) =>
    mayAdminister(caller) ? undefined : new Set(await ownersOf(host, caller));

  function note(event: SignalEvent): void {
    const userId = sessionsOf(event);
    if (event.topic === '*') {
      isUnsure = true;
      for (const stream of streams) checks.add(stream);
    } else if (userId !== undefined) {
      for (const stream of streams) if (stream.session.userId === userId) checks.add(stream);
      for (const { organizationId } of streams) add({ topic: 'sessions', id: null, organizationId, userId });
    } else {
      const meaning = meaningOf(event);
      if (meaning === undefined) return;
      if ('taskId' in meaning) tasks.add(meaning.taskId);
      else for (const happening of meaning.happenings) add(happening);
      if (event.topic === IDENTITY_CHANGED)
        for (const stream of streams) if (stream.organizationId === event.payload) checks.add(stream);
    }
    soon();
  }

  function add(happening: Happening): void {
    const { topic, id, organizationId, userId = '' } = happening;
    due.set(`${organizationId} ${topic} ${userId} ${id ?? ''}`, happening);
  }

  function soon(): void {
    if (streams.size > 0) timer ??= setTimeout(() => flushing.add('flush'), limits.coalesceMs).unref();
    else forget();
  }

  function forget(): void {
    due.clear();
    tasks.clear();
    isUnsure = false;
  }

  const flushing = new DueWork<string>({
    work: flush,
    onFault: (error) => host.onFault(error, 'console live'),
  });

  async function flush(): Promise<void> {
    timer = undefined;
    const ids = [...tasks];
    const isWhole = isUnsure;
    tasks.clear();
    isUnsure = false;
    if (ids.length > 0) for (const happening of await whereTasksBelong(store, ids)) add(happening);
    const happenings = [...due.values()];
    due.clear();
    version = Math.max(version + 1, Date.now());
    for (const stream of streams) send(stream, isWhole ? lineOf('*', null) : linesFor(stream, happenings));
  }

  function linesFor({ organizationId, session, heard, owners }: Stream, all: readonly Happening[]): string {
    const own = all.filter(
      (one) =>
        one.organizationId === organizationId &&
        heard.has(one.topic) &&
        (one.userId === undefined || one.userId === session.userId) &&
        (one.ownerId === undefined || owners === undefined || owners.has(one.ownerId)),
    );
    const byTopic = [...Map.groupBy(own, ({ topic }) => topic)];
    return byTopic
      .flatMap(([topic, some]) => {
        const isMany = some.length > MOST_IDS || some.some(({ id }) => id === null);
        return isMany ? [lineOf(topic, null)] : some.map(({ id }) => lineOf(topic, id));
      })
      .join('');
  }

  function lineOf(topic: Topic | '*', id: string | null): string {
    return `data: ${JSON.stringify({ topic, id, version })}\n\n`;
  }

  function listen(): void {
    unlisten ??= store.signal.subscribe('', note);
    keepAlive ??= setInterval(() => {
      for (const stream of streams) {
        send(stream, ': still here\n\n');
        checks.add(stream);
      }
    }, limits.keepAliveMs).unref();
  }

  function rest(): void {
    if (streams.size > 0) return;
    unlisten?.();
    clearInterval(keepAlive);
    clearTimeout(timer);
    [unlisten, keepAlive, timer] = [undefined, undefined, undefined];
    forget();
  }

  return {
    async open(res, session, wanted) {
      const { caller } = session;
      const { organizationId } = caller;
      const leave = places.take([
        [`person ${session.userId}`, limits.perPerson],
        [`organization ${organizationId}`, limits.perOrganization],
        ['process', limits.perProcess],
      ]);
      if (leave === undefined)
        throw new HttpRefusal('RATE_LIMITED', 'Too many streams are open. Close a tab, or try again later.', {
          headers: { 'retry-after': '15' },
        });
      res.once('close', leave);
      const topics = new Set(wanted);
      const heard = heardBy(host.engine(), caller, topics);
      const owners = await seenOwners(caller).catch((error: unknown) => {
        leave();
        throw error;
      });
      if (res.destroyed) return leave();
      const rights = rightsOf(caller);
      const stream: Stream = { res, session, wanted: topics, organizationId, heard, rights, owners };
      streams.add(stream);
      listen();
      res.on('error', () => res.destroy());
      res.once('close', () => {
        streams.delete(stream);
        checks.delete(stream);
        rest();
      });
      res.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      });
      res.write(': listening\n\n');
    },
    get size() {
      return streams.size;
    },
    tell(happening) {
      if (streams.size === 0) return;
      add(happening);
      soon();
    },
    close() {
      for (const { res } of streams) endOrDestroy(res);
      streams.clear();
      rest();
      checks.close();
      flushing.close();
    },
  };
}

function rightsOf({ roles, grants }: Caller): string {
  return JSON.stringify([roles, grants]);
}

/** The last word of a session; who has not read what came before does not wait for it. */
function signOut(res: ServerResponse): void {
  if (res.writableLength > 0 || res.writableEnded) res.destroy();
  else res.end('event: signed-out\ndata: {}\n\n');
}

function send({ res }: Stream, text: string): void {
  if (text === '' || res.writableEnded || res.destroyed) return;
  if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
  else res.write(text);
}
