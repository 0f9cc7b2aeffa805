/** Owns whether the server can be reached, as the last requests saw it. */
import { useSyncExternalStore } from 'react';
import { clientHooks } from '../api/client.ts';

let isReachable = true;
const listeners = new Set<() => void>();

clientHooks.onReachable = (next) => {
  if (next === isReachable) return;
  isReachable = next;
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Whether the last request reached the server. */
export function useIsReachable(): boolean {
  return useSyncExternalStore(subscribe, () => isReachable);
}
