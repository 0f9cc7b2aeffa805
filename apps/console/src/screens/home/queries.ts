/** Owns what Home reads. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { Home } from '../../api/schema.ts';

const AGAIN_MS = 60_000;

/** Reads Home, and again each minute: health has no topic of its own. */
export function useHome(): UseQueryResult<Home> {
  return useQuery({
    queryKey: ['counts', 'home'],
    queryFn: ({ signal }) => request('GET /api/home', { signal }),
    refetchInterval: AGAIN_MS,
  });
}

/** A path of the console without the part that every one has. */
export function screenPath(href: string): string {
  return href.startsWith('/console') ? href.slice('/console'.length) || '/' : href;
}
