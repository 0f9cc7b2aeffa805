/** Notices that something a client may have listed or read has changed. */

/** What changed; without an organization every caller is concerned. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources'; readonly organizationId?: string }
  | { readonly kind: 'resource'; readonly uri: string; readonly organizationId?: string };

/** Carries changes to open streams and sessions. */
export interface ChangeBus {
  publish(change: Change): void;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** A bus within this process. */
export function createChangeBus(): ChangeBus {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of listeners) listener(change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
