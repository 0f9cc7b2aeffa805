/**
 * Notices on their way to whoever listens: only what was asked for and is another to them, each once however often it
 * is due, and one look at the caller's rights for all that the caller has open.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller, Change, ChangeBus, Engine } from '@parley/kit';
import { DueWork, isTouched } from '@parley/kit';
import { SeenLists } from './seen-lists.ts';

/** Looks up what a caller may do now. */
export type CurrentCaller = (caller: Caller) => Promise<Caller | undefined>;

/** Somebody who listens for a caller. */
export interface Listener {
  readonly caller: Caller;
  readonly engine: Engine;
  /** Whether it asked for this at all. */
  wants(change: Change): boolean;
  /** Whether it asked for this very document, where it wants more than it was asked for. */
  watches?(uri: string): boolean;
  /** Takes a notice that its caller may have. */
  tell(change: Change): Promise<void> | void;
  /** The caller has lost every right. */
  end(): Promise<void> | void;
}

/** What the board stands on. */
export interface NoticeOptions {
  readonly changes: ChangeBus;
  readonly current: CurrentCaller;
  /** Hears who listens, and to which documents; absent: nobody has to know. */
  readonly watches?: ClientWatches | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Whoever a client listens to is to be listened to in turn. */
export interface ClientWatches {
  /** Somebody listens for what changes at all. Returns what ends it; so does the next one. */
  listening(served: Pick<Listener, 'caller' | 'engine'>): () => void;
  /** Somebody watches a document. */
  begin(served: Pick<Listener, 'caller' | 'engine'>, uri: string): () => void;
}

/** Tells listeners what has changed. */
export interface NoticeBoard {
  /** Returns the function that takes the listener off. */
  add(listener: Listener): () => void;
  /** Says that a client watches a document; returns the function that takes it back. */
  watch(served: Pick<Listener, 'caller' | 'engine'>, uri: string): () => void;
  close(): void;
}

/** True when a caller may learn of a change, of lists as far as it could be theirs. */
export function mayLearn(change: Change, caller: Caller, engine: Engine): boolean {
  const { toolset } = change;
  if (!concerns(change, caller)) return false;
  if (change.kind !== 'resource') return toolset === undefined || engine.covers(toolset);
  // A URI may stand for documents of two servers, at two URLs.
  const found = engine.view(caller).resource(change.uri, caller);
  return found !== undefined && (toolset === undefined || found.resource.toolset === toolset);
}

/** Everything that one caller has open. */
interface Desk {
  readonly caller: Caller;
  readonly listeners: Map<Listener, Told>;
}

/** What one listener was told, and what it has yet to be told; it asks for few things, so this stays small. */
interface Told {
  readonly seen: SeenLists;
  readonly due: Map<string, Due>;
  /** What was taken of it and is being looked at: what changes again meanwhile may be as before by then. */
  readonly looking: Set<string>;
}

interface Due {
  readonly change: Change;
  /** True: a toolset has changed more than once since it was looked at, and may be as before while clients saw it otherwise. */
  readonly isRepeated: boolean;
}

interface Taken {
  readonly listener: Listener;
  readonly seen: SeenLists;
  readonly looking: Set<string>;
  readonly notices: readonly (readonly [string, Due])[];
}

// Keys expire without a notice.
const CHECK_EVERY_MS = 30_000;
const TOLD_IN_ONE_TURN = 16;

/** Creates the board. */
export function createNoticeBoard({ changes, current, watches, onFault }: NoticeOptions): NoticeBoard {
  const desks = new Map<string, Desk>();
  // A change of roles concerns every caller at once.
  const looks = new DueWork<Desk>({ work: serve, onFault: (error) => onFault(error, 'notice') });
  const unsubscribe = changes.subscribe((change) => {
    for (const desk of desks.values()) if (concerns(change, desk.caller)) note(desk, change);
  }, watchersOf);
  const check = setInterval(() => {
    for (const desk of desks.values()) looks.add(desk);
  }, CHECK_EVERY_MS).unref();

  function watchersOf(uri: string): Caller[] {
    const change = { kind: 'resource', uri } as const;
    const watches = (listener: Listener) => listener.watches?.(uri) ?? listener.wants(change);
    const isWatching = ({ listeners }: Desk) => [...listeners.keys()].some(watches);
    return [...desks.values()].filter(isWatching).map(({ caller }) => caller);
  }

  function note(desk: Desk, change: Change): void {
    // The tools of a caller change with its rights, so everything it has open is looked at.
    let isDue = change.kind === 'tools';
    for (const [listener, { due, looking }] of desk.listeners) {
      if (!listener.wants(change)) continue;
      const key = keyOf(change);
      const isAgain = due.has(key) || looking.has(key);
      due.set(key, { change, isRepeated: isAgain && change.toolset !== undefined });
      isDue = true;
    }
    if (isDue) looks.add(desk);
  }

  async function serve(desk: Desk): Promise<void> {
    // Taken before the look: what becomes due after it is looked at again.
    const taken = [...desk.listeners].map(([listener, { due, looking, seen }]): Taken => {
      const notices = [...due];
      for (const [key] of notices) looking.add(key);
      due.clear();
      return { listener, seen, looking, notices };
    });
    let caller: Caller | undefined;
    try {
      caller = await current(desk.caller);
    } catch (error) {
      // Nothing is told unchecked and nothing is lost: what is due waits until rights can be looked up.
      for (const { listener, looking, notices } of taken) {
        looking.clear();
        const due = desk.listeners.get(listener)?.due;
        // What became due again meanwhile knows that it did.
        for (const [key, notice] of notices) if (due?.has(key) === false) due.set(key, notice);
      }
      throw error;
    }
    for (let at = 0; at < taken.length; at += TOLD_IN_ONE_TURN) {
      if (at > 0) await turn();
      const some = taken.slice(at, at + TOLD_IN_ONE_TURN);
      await Promise.all(some.map((each) => deliver(each, caller)));
    }
  }

  async function deliver(
    { listener, seen, looking, notices }: Taken,
    caller: Caller | undefined,
  ): Promise<void> {
    try {
      if (caller === undefined) return await listener.end();
      const told = new Set<string>();
      for (const [, { change, isRepeated }] of notices) {
        const what = change.kind === 'resource' ? change.uri : ` ${change.kind}`;
        // Several toolsets may have changed, and a list is the list of all.
        if (told.has(what) || !mayLearn(change, caller, listener.engine)) continue;
        if (change.kind !== 'resource') {
          // Who cannot be looked at is told: one look too many does no harm.
          const isAnother = await seen.isAnother(change.kind, caller).catch((error: unknown) => {
            onFault(error, 'notice');
            return true;
          });
          const mayHaveBeen = isRepeated && isTouched(caller.grants, change.toolset ?? '');
          if (!isAnother && !mayHaveBeen) continue;
        }
        told.add(what);
        await listener.tell(change);
      }
    } catch (error) {
      onFault(error, 'notice');
    } finally {
      looking.clear();
    }
  }

  return {
    watch: (served, uri) => watches?.begin(served, uri) ?? (() => undefined),
    add(listener) {
      const { caller } = listener;
      const leave = watches?.listening(listener);
      const key = `${caller.organizationId} ${caller.id} ${caller.source}`;
      const desk = desks.get(key) ?? { caller, listeners: new Map() };
      desks.set(key, desk);
      const seen = new SeenLists(listener.engine, caller);
      desk.listeners.set(listener, { seen, due: new Map(), looking: new Set() });
      return () => {
        leave?.();
        desk.listeners.delete(listener);
        if (desk.listeners.size > 0 || desks.get(key) !== desk) return;
        desks.delete(key);
        looks.delete(desk);
      };
    },
    close() {
      unsubscribe();
      clearInterval(check);
      looks.close();
    },
  };
}

/** What is due once, however often it happens. */
function keyOf(change: Change): string {
  const { kind, toolset = '' } = change;
  if (kind !== 'resource') return ` ${kind} ${toolset}`;
  const { uri, userId = '' } = change;
  return `${uri} ${toolset} ${userId}`;
}

function concerns(change: Change, { organizationId, agent, userId }: Caller): boolean {
  const isTheirs = change.organizationId === undefined || change.organizationId === organizationId;
  if (!isTheirs || change.kind !== 'resource') return isTheirs;
  return (change.agentId ?? agent?.id) === agent?.id && (change.userId ?? userId) === userId;
}
