/** Owns what the screen of annotations reads and does. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { request, requestWhole } from '../../api/request.ts';
import type { Annotation } from '../../api/schema.ts';

export const STATUSES = ['pending', 'acknowledged', 'diff_proposed', 'resolved', 'dismissed'] as const;

interface Filters {
  readonly status?: string | undefined;
  readonly session?: string | undefined;
  /** The address of their page. */
  readonly url?: string | undefined;
  readonly project?: string | undefined;
  readonly text?: string | undefined;
  /** asc: the oldest first. */
  readonly order?: 'asc' | undefined;
}

/** Notes of all pages, newest first unless it is said otherwise, page by page. */
export function useNotes(filters: Filters) {
  return useInfiniteQuery({
    queryKey: ['annotations', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      requestWhole('GET /api/annotations', {
        query: { ...filters, limit: 100, cursor: pageParam },
        signal,
      }),
    // The first page has no cursor; the type is that of the others.
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor ?? undefined,
  });
}

export function useNote(id: string) {
  return useQuery({
    queryKey: ['annotations', 'one', id],
    queryFn: ({ signal }) => request('GET /api/annotations/{id}', { path: { id }, signal }),
  });
}

export function usePages() {
  return useQuery({
    queryKey: ['annotations', 'pages'],
    queryFn: ({ signal }) => request('GET /api/annotations/pages', { signal }),
  });
}

export function useTokens() {
  return useQuery({
    queryKey: ['annotations', 'tokens'],
    queryFn: ({ signal }) => request('GET /api/annotations/page-tokens', { signal }),
  });
}

export function useTag(isWanted: boolean) {
  return useQuery({
    queryKey: ['annotations', 'tag'],
    queryFn: ({ signal }) => request('GET /api/annotations/page-tokens/tag', { signal }),
    enabled: isWanted,
  });
}

export const makeToken = () => request('POST /api/annotations/page-tokens');
export const bindToken = (id: string, origins: readonly string[]) =>
  request('PUT /api/annotations/page-tokens/{id}', { path: { id }, body: { origins } });
export const revokeToken = (id: string) =>
  request('DELETE /api/annotations/page-tokens/{id}', { path: { id } });

export const pictureOf = (id: string) => `/api/annotations/${encodeURIComponent(id)}/picture`;
export const reply = (id: string, message: string) =>
  request('POST /api/annotations/{id}/replies', { path: { id }, body: { message } });
export const resolve = (id: string, summary?: string) =>
  request('POST /api/annotations/{id}/resolve', { path: { id }, body: { summary } });
export const dismiss = (id: string, reason?: string) =>
  request('POST /api/annotations/{id}/dismiss', { path: { id }, body: { reason } });
export const reopen = (id: string) => request('POST /api/annotations/{id}/reopen', { path: { id } });
export const answerDiff = (id: string, response: 'approved' | 'rejected', revision: number) =>
  request('POST /api/annotations/{id}/diff', { path: { id }, body: { response, revision } });

/** True once nobody is to work on it any more. */
export function isClosed({ status }: Pick<Annotation, 'status'>): boolean {
  return status === 'resolved' || status === 'dismissed';
}
