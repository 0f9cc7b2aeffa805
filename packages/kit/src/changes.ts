/** Notices that something a client may have listed or read has changed. */
import type { Caller } from './access/caller.ts';

/**
 * What changed; without an organization every caller is concerned, with an agent only callers that act as it, with a
 * user only callers of that user, and with a toolset only those who are granted something of it, where it is served.
 */
export type Change =
  | {
      readonly kind: 'tools' | 'prompts' | 'resources';
      readonly organizationId?: string;
      readonly toolset?: string;
    }
  | {
      readonly kind: 'resource';
      readonly uri: string;
      readonly organizationId?: string;
      readonly agentId?: string;
      readonly userId?: string;
      readonly toolset?: string;
    };

/** Tells who watches a document here and now. */
export type WatchersOf = (uri: string) => readonly Caller[];

/** Carries changes to open streams and sessions. */
export interface ChangeBus {
  publish(change: Change): void;
  /** Returns the function that ends the subscription. A listener that speaks for clients says what they watch. */
  subscribe(listener: (change: Change) => void, watchersOf?: WatchersOf): () => void;
  /** Those whose clients watch a document, as far as this process knows. */
  readonly watchersOf: WatchersOf;
}

/** A bus within this process. */
export function createChangeBus(): ChangeBus {
  const listeners = new Map<(change: Change) => void, WatchersOf | undefined>();
  return {
    publish(change) {
      for (const listener of listeners.keys()) listener(change);
    },
    subscribe(listener, watchersOf) {
      listeners.set(listener, watchersOf);
      return () => listeners.delete(listener);
    },
    watchersOf: (uri) => [...listeners.values()].flatMap((watchersOf) => watchersOf?.(uri) ?? []),
  };
}

/** Changes on their way to a bus, where equal ones that come close together are one. */
export interface CoalescedChanges {
  add(changes: readonly Change[]): void;
  /** Drops what has not been published. */
  close(): void;
}

/** Publishes each different change once, at most every `everyMs`. */
export function coalesce(bus: Pick<ChangeBus, 'publish'>, everyMs: number): CoalescedChanges {
  const due = new Map<string, Change>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const changes = [...due.values()];
    due.clear();
    for (const change of changes) bus.publish(change);
  };
  return {
    add(changes) {
      for (const change of changes) due.set(JSON.stringify(change), change);
      if (due.size > 0) timer ??= setTimeout(flush, everyMs).unref();
    },
    close: () => clearTimeout(timer),
  };
}
