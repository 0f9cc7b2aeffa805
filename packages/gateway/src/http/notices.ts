/**
 * Notices on their way to whoever listens: only what was asked for, each once however often it is due, and one look
 * at the caller's rights for all that the caller has open.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller, Change, ChangeBus, Engine } from '@parley/kit';
import { DueWork } from '@parley/kit';

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
  readonly onFault: (error: unknown, where: string) => void;
}

/** Tells listeners what has changed. */
export interface NoticeBoard {
  /** Returns the function that takes the listener off. */
  add(listener: Listener): () => void;
  close(): void;
}

/** True when a caller may learn of a change. */
export function mayLearn(change: Change, caller: Caller, engine: Engine): boolean {
  if (!concerns(change, caller)) return false;
  return change.kind !== 'resource' || engine.documents.canRead(caller, change.uri);
}

/** Everything that one caller has open. */
interface Desk {
  readonly caller: Caller;
  /** What each listener has yet to be told; a listener asks for few things, so this stays small. */
  readonly due: Map<Listener, Map<string, Change>>;
}

// Keys expire without a notice.
const CHECK_EVERY_MS = 30_000;
const TOLD_IN_ONE_TURN = 16;

/** Creates the board. */
export function createNoticeBoard({ changes, current, onFault }: NoticeOptions): NoticeBoard {
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
    const isWatching = ({ due }: Desk) => [...due.keys()].some(watches);
    return [...desks.values()].filter(isWatching).map(({ caller }) => caller);
  }

  function note(desk: Desk, change: Change): void {
    // The tools of a caller change with its rights, so everything it has open is looked at.
    let isDue = change.kind === 'tools';
    for (const [listener, due] of desk.due) {
      if (!listener.wants(change)) continue;
      due.set(change.kind === 'resource' ? change.uri : ` ${change.kind}`, change);
      isDue = true;
    }
    if (isDue) looks.add(desk);
  }

  async function serve(desk: Desk): Promise<void> {
    // Taken before the look: what becomes due after it is looked at again.
    const taken = [...desk.due].map(([listener, due]) => ({ listener, notices: [...due] }));
    for (const due of desk.due.values()) due.clear();
    let caller: Caller | undefined;
    try {
      caller = await current(desk.caller);
    } catch (error) {
      // Nothing is told unchecked and nothing is lost: what is due waits until rights can be looked up.
      for (const { listener, notices } of taken)
        for (const [key, change] of notices) desk.due.get(listener)?.set(key, change);
      throw error;
    }
    for (let at = 0; at < taken.length; at += TOLD_IN_ONE_TURN) {
      if (at > 0) await turn();
      const some = taken.slice(at, at + TOLD_IN_ONE_TURN);
      await Promise.all(some.map(({ listener, notices }) => deliver(listener, notices, caller)));
    }
  }

  async function deliver(
    listener: Listener,
    notices: readonly (readonly [string, Change])[],
    caller: Caller | undefined,
  ): Promise<void> {
    try {
      if (caller === undefined) return await listener.end();
      for (const [, change] of notices)
        if (mayLearn(change, caller, listener.engine)) await listener.tell(change);
    } catch (error) {
      onFault(error, 'notice');
    }
  }

  return {
    add(listener) {
      const { caller } = listener;
      const key = `${caller.organizationId} ${caller.id} ${caller.source}`;
      const desk = desks.get(key) ?? { caller, due: new Map() };
      desks.set(key, desk);
      desk.due.set(listener, new Map());
      return () => {
        desk.due.delete(listener);
        if (desk.due.size > 0 || desks.get(key) !== desk) return;
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

function concerns(change: Change, { organizationId, agent }: Caller): boolean {
  const isTheirs = change.organizationId === undefined || change.organizationId === organizationId;
  return isTheirs && (change.kind !== 'resource' || (change.agentId ?? agent?.id) === agent?.id);
}
