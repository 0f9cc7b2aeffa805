/** Watching for pending notes and for words to own ones: many watchers, one read per change. */
import { setTimeout as delay } from 'node:timers/promises';
import { WATCH_POLL_INTERVAL_MS } from '../limits.ts';
import type { Annotation } from '../shapes.ts';
import type { AnnotationChange, AnnotationChanges } from './changes.ts';
import type { NoteList, NoteScope } from './reading.ts';
import { waitFor } from './wait-for.ts';

/** When a watch ends. */
export interface WatchEnd {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface WatchOptions extends WatchEnd {
  /** Collects this long after the first arrival. */
  readonly batchWindowMs: number;
  /** Reads the notes that the watcher holds and that have words for it. */
  own?(): Promise<readonly Annotation[]>;
}

/** Watchers of the same scope share what is read. */
interface Room {
  readonly scope: NoteScope;
  readonly wakes: Set<(change: AnnotationChange) => void>;
  reading: Promise<NoteList> | undefined;
}

/** All watches of a process. */
export class Watches {
  readonly #rooms = new Map<string, Room>();
  readonly #changes: AnnotationChanges;
  readonly #read: (scope: NoteScope) => Promise<NoteList>;
  readonly #stopping: AbortSignal;
  #unlisten: (() => void) | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(
    changes: AnnotationChanges,
    read: (scope: NoteScope) => Promise<NoteList>,
    stopping: AbortSignal,
  ) {
    this.#changes = changes;
    this.#read = read;
    this.#stopping = stopping;
  }

  /** How many watches are waiting. */
  get waiting(): number {
    return [...this.#rooms.values()].reduce((sum, { wakes }) => sum + wakes.size, 0);
  }

  /** What is pending, at once or as soon as there is something; undefined after the time. */
  async watch(scope: NoteScope, options: WatchOptions): Promise<NoteList | undefined> {
    const startedAt = performance.now();
    const first = await this.#readBoth(scope, options);
    if (first.annotations.length > 0) return first;
    for (;;) {
      const timeoutMs = Math.max(0, options.timeoutMs - (performance.now() - startedAt));
      const found = await this.#next(scope, { ...options, timeoutMs });
      if (found === undefined || options.batchWindowMs === 0) return found;
      const leftMs = options.timeoutMs - (performance.now() - startedAt);
      const window = delay(Math.max(0, Math.min(options.batchWindowMs, leftMs)), undefined, {
        signal: AbortSignal.any([options.signal, this.#stopping]),
      });
      await this.#changes.held(window).catch(() => options.signal.throwIfAborted());
      const collected = await this.#readBoth(scope, options);
      // Somebody else may have taken all of them meanwhile.
      if (collected.annotations.length > 0) return collected;
    }
  }

  async #readBoth(scope: NoteScope, { own }: WatchOptions): Promise<NoteList> {
    return withOwn(await own?.(), await this.#read(scope));
  }

  async #next(scope: NoteScope, options: WatchOptions): Promise<NoteList | undefined> {
    const key = `${scope.organizationId} ${scope.sessionId ?? ''}`;
    let room: Room | undefined;
    // Read by each watcher for itself, so only when there is a reason.
    let isOwnDue = true;
    return waitFor({
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      stopping: this.#stopping,
      held: (waiting) => this.#changes.held(waiting),
      arm: (wake) => {
        const hear = (change: AnnotationChange) => {
          isOwnDue ||= change.kind === 'all' || (change.kind === 'notes' && change.words === true);
          wake();
        };
        room = this.#enter(key, scope, hear);
        return () => this.#leave(key, hear);
      },
      check: async () => {
        const isDue = isOwnDue;
        isOwnDue = false;
        const own = isDue ? await options.own?.() : undefined;
        const list = withOwn(own, await (room === undefined ? this.#read(scope) : this.#readFor(room)));
        return list.annotations.length > 0 ? list : undefined;
      },
    });
  }

  #enter(key: string, scope: NoteScope, wake: (change: AnnotationChange) => void): Room {
    if (this.#rooms.size === 0) this.#open();
    const room = this.#rooms.get(key) ?? { scope, wakes: new Set(), reading: undefined };
    this.#rooms.set(key, room);
    room.wakes.add(wake);
    return room;
  }

  #leave(key: string, wake: (change: AnnotationChange) => void): void {
    const room = this.#rooms.get(key);
    room?.wakes.delete(wake);
    if (room?.wakes.size === 0) this.#rooms.delete(key);
    if (this.#rooms.size === 0) this.#close();
  }

  /** One read for everybody who wakes at the same time; a change throws away a read that began before it. */
  #readFor(room: Room): Promise<NoteList> {
    if (room.reading !== undefined) return room.reading;
    const reading = this.#read(room.scope).finally(() => {
      if (room.reading === reading) room.reading = undefined;
    });
    room.reading = reading;
    return reading;
  }

  #open(): void {
    this.#unlisten = this.#changes.listen((change) => this.#onChange(change));
    this.#poll = setInterval(() => this.#changes.retellWhenBroken(), WATCH_POLL_INTERVAL_MS).unref();
  }

  #close(): void {
    this.#unlisten?.();
    clearInterval(this.#poll);
  }

  #onChange(change: AnnotationChange): void {
    for (const room of this.#rooms.values()) {
      if (!concerns(change, room.scope)) continue;
      room.reading = undefined;
      for (const wake of room.wakes) wake(change);
    }
  }
}

/** Own notes first: their holder is in the middle of them. */
function withOwn(own: readonly Annotation[] | undefined, pending: NoteList): NoteList {
  if (own === undefined || own.length === 0) return pending;
  return {
    annotations: [...own, ...pending.annotations],
    total: own.length + pending.total,
    isTruncated: pending.isTruncated,
  };
}

function concerns(change: AnnotationChange, { organizationId, sessionId }: NoteScope): boolean {
  if (change.kind === 'all') return true;
  if (change.kind !== 'notes' || change.organizationId !== organizationId) return false;
  if (!change.pending && change.words !== true) return false;
  return sessionId === undefined || change.sessionId === sessionId;
}
