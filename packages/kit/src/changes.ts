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
