/** Owns lists that grow at their end: what a table does when the end comes near. */
import { useCallback } from 'react';
import { detach } from '../detach.ts';

/** The part of an infinite query that is needed: any result of `useInfiniteQuery` fits. */
interface Growing {
  readonly fetchNextPage: () => Promise<unknown>;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
}

/** For `onEnd` of a table: reads the next page, once at a time. */
export function useMore({ fetchNextPage, hasNextPage, isFetchingNextPage }: Growing): () => void {
  return useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) detach(fetchNextPage(), reportError);
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
}
