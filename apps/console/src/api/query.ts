/** Owns the cache of what was read: how long it is fresh, what is tried again, and reading through tools. */
import { QueryClient, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { callTool } from './call-tool.ts';
import { ApiError } from './client.ts';
import type { Topic } from './types.ts';

const FRESH_MS = 30_000;
const TRIES = 3;
const AGAIN_MS = 5_000;

/** The cache of this tab. A key starts with the topic that makes it old: `['tasks', ...]`. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The live stream says when something changed; a lost one is made up for when it is back.
      staleTime: FRESH_MS,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      retry: (failures, error) => failures < TRIES && isWorthRetrying(error),
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
      // A screen that failed because something was away for a while comes back by itself.
      refetchInterval: ({ state: { error } }) => (isWorthRetrying(error) ? AGAIN_MS : false),
    },
    mutations: { networkMode: 'always' },
  },
});

function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
}

/** What stands in for data: nothing while there is some, unless the server says that it is not to be had any more. */
export function faultOf({
  data,
  error,
}: {
  readonly data?: unknown;
  readonly error: Error | null;
}): Error | null {
  const isGone = error instanceof ApiError && (error.status === 403 || error.status === 404);
  return data === undefined || isGone ? error : null;
}

/** What a read through a tool needs. */
export interface ToolRead {
  /** Whose changes make the answer old. */
  readonly topic: Topic;
  readonly endpoint: string;
  readonly tool: string;
  readonly args?: object;
  readonly isOff?: boolean;
}

/** Reads through a tool and keeps the answer until its topic changes. */
export function useToolQuery<T>({ topic, endpoint, tool, args = {}, isOff }: ToolRead): UseQueryResult<T> {
  return useQuery({
    queryKey: [topic, endpoint, tool, args],
    queryFn: ({ signal }) => callTool<T>(endpoint, tool, args, { signal }),
    enabled: !isOff,
  });
}
