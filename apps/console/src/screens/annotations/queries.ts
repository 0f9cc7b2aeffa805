/** Owns what the screen of annotations reads and does. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { del, get, getWhole, post, put } from '../../api/client.ts';

export const STATUSES = ['pending', 'acknowledged', 'diff_proposed', 'resolved', 'dismissed'] as const;

interface Reply {
  readonly id: string;
  readonly createdAt: string;
  readonly author: 'agent' | 'user';
  readonly authorName?: string;
  readonly message: string;
}

/** What a person said about a place of a page, with its thread. */
export interface Annotation {
  readonly id: string;
  readonly number: number;
  readonly status: (typeof STATUSES)[number];
  readonly createdAt: string;
  readonly annotationText: string;
  readonly intent: string;
  readonly severity: 'blocking' | 'important' | 'suggestion';
  readonly url: string;
  readonly title: string;
  readonly componentName?: string;
  readonly sourceFile?: string;
  readonly selector: string;
  readonly element: string;
  readonly selectionText?: string;
  readonly screenshot?: { readonly width: number; readonly height: number };
  readonly diff?: string;
  readonly diffRevision?: number;
  readonly diffResponse?: 'approved' | 'rejected';
  readonly replies: readonly Reply[];
  readonly acknowledgedBy?: { readonly name: string };
}

/** A note with the page it is on. */
export interface Note {
  readonly annotation: Annotation;
  readonly session: { readonly id: string; readonly url: string; readonly title: string };
}

interface NotePage {
  readonly data: readonly Note[];
  readonly pagination: { readonly cursor: string | null };
}

/** A page that was annotated, with how many notes of which status. */
export interface AnnotatedPage {
  readonly session: {
    readonly id: string;
    readonly url: string;
    readonly title: string;
    readonly projectId?: string;
  };
  readonly counts: Readonly<Record<string, number>>;
}

export interface PageToken {
  readonly id: string;
  readonly state: 'valid' | 'revoked';
  readonly origins: readonly string[];
  readonly pages: number;
  readonly createdAt: string;
}

export interface PageTag {
  readonly tag: string;
  readonly vite: string;
}

interface Filters {
  readonly status?: string | undefined;
  readonly session?: string | undefined;
  /** The address of their page. */
  readonly url?: string | undefined;
  readonly project?: string | undefined;
  readonly text?: string | undefined;
}

/** Notes of all pages, newest first, page by page. */
export function useNotes(filters: Filters) {
  return useInfiniteQuery({
    queryKey: ['annotations', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      getWhole<NotePage>('/api/annotations', {
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
    queryFn: ({ signal }) => get<Note & { readonly markdown: string }>(pathOf(id), { signal }),
  });
}

export function usePages() {
  return useQuery({
    queryKey: ['annotations', 'pages'],
    queryFn: ({ signal }) => get<readonly AnnotatedPage[]>('/api/annotations/pages', { signal }),
  });
}

const TOKENS = '/api/annotations/page-tokens';

export function useTokens() {
  return useQuery({
    queryKey: ['annotations', 'tokens'],
    queryFn: ({ signal }) => get<readonly PageToken[]>(TOKENS, { signal }),
  });
}

export function useTag(isWanted: boolean) {
  return useQuery({
    queryKey: ['annotations', 'tag'],
    queryFn: ({ signal }) => get<PageTag>(`${TOKENS}/tag`, { signal }),
    enabled: isWanted,
  });
}

export const makeToken = () => post(TOKENS);
export const bindToken = (id: string, origins: readonly string[]) => put(`${TOKENS}/${id}`, { origins });
export const revokeToken = (id: string) => del(`${TOKENS}/${id}`);

const pathOf = (id: string) => `/api/annotations/${encodeURIComponent(id)}`;

export const pictureOf = (id: string) => `${pathOf(id)}/picture`;
export const reply = (id: string, message: string) => post(`${pathOf(id)}/replies`, { message });
export const resolve = (id: string, summary?: string) => post(`${pathOf(id)}/resolve`, { summary });
export const dismiss = (id: string, reason?: string) => post(`${pathOf(id)}/dismiss`, { reason });
export const reopen = (id: string) => post(`${pathOf(id)}/reopen`);
export const answerDiff = (id: string, response: 'approved' | 'rejected', revision: number) =>
  post(`${pathOf(id)}/diff`, { response, revision });

/** True once nobody is to work on it any more. */
export function isClosed({ status }: Pick<Annotation, 'status'>): boolean {
  return status === 'resolved' || status === 'dismissed';
}
