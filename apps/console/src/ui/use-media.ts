/** Owns asking how wide the window is. */
import { useSyncExternalStore } from 'react';

const phone = matchMedia('(max-width: 640px)');
const wide = matchMedia('(min-width: 1000px)');

function follow(query: MediaQueryList): (listener: () => void) => () => void {
  return (listener) => {
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  };
}

const followPhone = follow(phone);
const followWide = follow(wide);

/** Whether the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(followPhone, () => phone.matches);
}

/** Whether a list and a detail fit beside each other. */
export function useIsWide(): boolean {
  return useSyncExternalStore(followWide, () => wide.matches);
}
