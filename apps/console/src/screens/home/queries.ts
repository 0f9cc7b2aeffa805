/** Owns what Home reads. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { get } from '../../api/client.ts';

/** Something that waits for the person. */
export interface Waiting {
  readonly kind: string;
  readonly count: number;
  readonly href: string;
  readonly title: string;
}

/** How a part of the server is. */
export interface Health {
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'down';
  readonly reason: string;
  readonly fix?: string;
}

/** What Home shows. */
export interface HomeData {
  readonly waiting: readonly Waiting[];
  readonly health: readonly Health[];
  readonly calls: {
    readonly points: readonly {
      readonly at: string | number;
      readonly calls: number;
      readonly errors: number;
    }[];
  };
  readonly recent: readonly {
    readonly at: string | number;
    readonly who: string;
    readonly what: string;
    readonly href?: string | null;
  }[];
}

const AGAIN_MS = 60_000;

/** Reads Home, and again each minute: health has no topic of its own. */
export function useHome(): UseQueryResult<HomeData> {
  return useQuery({
    queryKey: ['counts', 'home'],
    queryFn: ({ signal }) => get<HomeData>('/api/home', { signal }),
    refetchInterval: AGAIN_MS,
  });
}

/** A path of the console without the part that every one has. */
export function screenPath(href: string): string {
  return href.startsWith('/console') ? href.slice('/console'.length) || '/' : href;
}
