/** Owns where a screen stands in the address: what is open, which tab, which filters. All of it survives a reload. */
import { useLocation, useMatches, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { detach } from '../detach.ts';

/** The filters in the address: plain words, as they stand there. */
export type Search = Readonly<Record<string, string | undefined>>;

/** Where the screen stands, and how to move it. */
export interface ScreenState {
  /** The path of the screen itself: `/tools`. */
  readonly base: string;
  /** What is open: the part of the path after the screen. */
  readonly id: string | undefined;
  readonly tab: string | undefined;
  readonly search: Search;
  /** Opens something, or closes it with undefined; filters stay, and those given change. */
  readonly open: (id: string | undefined, tab?: string, change?: Search) => void;
  /** Changes filters; undefined or an empty text takes one away. */
  readonly setSearch: (change: Search, options?: { isReplaced?: boolean }) => void;
}

/** Goes to a screen: `go('/tasks/tsk_1', { search: { state: 'failed' } })`. */
export type Go = (to: string, options?: { search?: Search; isReplaced?: boolean }) => void;

/** The way to other screens, for acts; a link is a `ScreenLink`. */
export function useGo(): Go {
  const navigate = useNavigate();
  return useCallback(
    (to, options = {}) => {
      const [path = '/', query = ''] = to.split('?');
      const search = { ...Object.fromEntries(new URLSearchParams(query)), ...options.search };
      detach(navigate({ to: path, search, replace: options.isReplaced }), reportError);
    },
    [navigate],
  );
}

/** The state of the screen in the address. */
export function useScreen(): ScreenState {
  const params = useParams({ strict: false }) as { id?: string; tab?: string }; // Every screen has these two
  const location = useLocation();
  const navigate = useNavigate();
  const matches = useMatches();
  const base = matches.at(-1)?.staticData.base ?? '/';
  const search = location.search as Search; // The router's parser makes texts only
  const open = useCallback(
    (id: string | undefined, tab?: string, change: Search = {}) => {
      const rest = [id, tab].filter((part) => part !== undefined).map(encodeURIComponent);
      const search = (now: Search) => ({ ...now, ...change });
      detach(navigate({ to: [base, ...rest].join('/').replace('//', '/'), search }), reportError);
    },
    [base, navigate],
  );
  const setSearch = useCallback(
    (change: Search, options: { isReplaced?: boolean } = {}) => {
      const apply = (now: Search) =>
        Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value));
      const move = navigate({ to: '.', search: apply, replace: options.isReplaced });
      detach(move, reportError);
    },
    [navigate],
  );
  const id = params.id;
  const tab = params.tab;
  return useMemo(
    () => ({ base, id, tab, search, open, setSearch }),
    [base, id, tab, search, open, setSearch],
  );
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The path of the screen without what is open in it. */
    base?: string;
  }
}
