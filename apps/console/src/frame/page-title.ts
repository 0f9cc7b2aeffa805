/** Owns the title of the tab: what is open, the screen it is open in, and the product. */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { namePlace, screenAt } from './recent.ts';

const PRODUCT = 'Parley';
const SIGN_IN = 'Sign in';

interface Opened {
  readonly path: string;
  readonly name: string;
}

let opened: Opened | undefined;
const listeners = new Set<() => void>();

function setOpened(next: Opened | undefined): void {
  opened = next;
  for (const tell of listeners) tell();
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** Names what is open at the place where the person is; undefined while nobody knows its name. */
export function useOpenedName(name: string | undefined): void {
  // While one goes from one thing to the next, the pane of the last one is still there under the new address.
  const path = useRouterState({
    select: ({ location, resolvedLocation }) =>
      resolvedLocation?.pathname === location.pathname ? location.pathname : undefined,
  });
  useEffect(() => {
    if (path === undefined || name === undefined || name === '') return undefined;
    const own = { path, name };
    namePlace(path, name);
    setOpened(own);
    return () => {
      if (opened === own) setOpened(undefined);
    };
  }, [path, name]);
}

/** Keeps the title of the tab; undefined as the path: nobody is signed in. */
export function usePageTitle(path: string | undefined): void {
  const known = useSyncExternalStore(listen, () => opened);
  const parts =
    path === undefined ? [SIGN_IN] : [known?.path === path ? known.name : undefined, screenAt(path)?.title];
  const title = [...parts, PRODUCT].filter((part) => part !== undefined).join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
