/** Owns what the screen of connections reads and does. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { queryClient, useToolQuery } from '../../api/query.ts';
import { request, requestWhole } from '../../api/request.ts';
import type { WholeOf } from '../../api/request.ts';
import { detach } from '../../detach.ts';
import type { Search } from '../../ui/use-screen.ts';
import type { Approved, ConnectionGlance, Refreshed } from '../../api/schema.ts';
import type { Connection, TestOutcome } from './types.ts';

export const SELF = 'self';

const PAGE_ROWS = 200;

/** Connections that fit, by title, more of them as the list is read on. */
export function useConnections({ q, health, type, waits }: Search) {
  return useInfiniteQuery({
    queryKey: ['connections', 'glances', q, health, type, waits],
    queryFn: ({ pageParam, signal }) =>
      requestWhole('GET /api/connections', {
        query: { text: q, health, type, waits, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** One of them, which the list may not have read yet. */
export async function readGlance(ids: string, signal: AbortSignal): Promise<ConnectionGlance | undefined> {
  const [found] = await request('GET /api/connections', { query: { ids }, signal });
  return found;
}

const PAGE_OF_CHOICES = 500;
const MOST_CHOICES = 2000;

/** Connections to choose from: all of them, unless there are more than anybody scrolls through. */
export function useConnectionChoices() {
  return useQuery({
    queryKey: ['connections', 'choices'],
    queryFn: async ({ signal }) => {
      const found: ConnectionGlance[] = [];
      let cursor: string | null | undefined;
      do {
        const query = { limit: PAGE_OF_CHOICES, cursor: cursor ?? undefined };
        const page: WholeOf<'GET /api/connections'> = await requestWhole('GET /api/connections', {
          query,
          signal,
        });
        found.push(...page.data);
        cursor = page.pagination.cursor;
      } while (cursor !== null && found.length < MOST_CHOICES);
      return found;
    },
  });
}

export function useConnection(id: string) {
  return useToolQuery<{ item: Connection | null }>({
    topic: 'connections',
    endpoint: SELF,
    tool: 'COLLECTION_CONNECTIONS_GET',
    args: { id },
  });
}

export function useDefinitions(id: string) {
  return useQuery({
    queryKey: ['connections', 'definitions', id],
    queryFn: ({ signal }) => request('GET /api/connections/{id}/definitions', { path: { id }, signal }),
  });
}

export function useAuth(id: string, isWatched: boolean) {
  return useQuery({
    queryKey: ['connections', 'auth', id],
    queryFn: ({ signal }) => request('GET /api/connections/{id}/auth', { path: { id }, signal }),
    // While the browser is elsewhere, what comes of it is wanted at once.
    refetchInterval: isWatched ? 2_000 : false,
  });
}

export function usePeople(id: string, isOff: boolean) {
  return useQuery({
    queryKey: ['connections', 'people', id],
    queryFn: ({ signal }) => request('GET /api/connections/{id}/people', { path: { id }, signal }),
    enabled: !isOff,
  });
}

export function createConnection(
  data: object,
): Promise<{ item: Connection & { catalog: { last_error: string | null } } }> {
  return callTool(SELF, 'COLLECTION_CONNECTIONS_CREATE', { data });
}

export function updateConnection(id: string, data: object): Promise<unknown> {
  return callTool(SELF, 'COLLECTION_CONNECTIONS_UPDATE', { id, data });
}

export function deleteConnection(id: string): Promise<unknown> {
  return callTool(SELF, 'COLLECTION_CONNECTIONS_DELETE', { id, force: true });
}

export function testConnection(id: string): Promise<TestOutcome> {
  return callTool<TestOutcome>(SELF, 'CONNECTION_TEST', { id });
}

/** Asks its server again for what it has. */
export function refreshConnection(id: string): Promise<Refreshed> {
  return request('POST /api/connections/{id}/refresh', { path: { id } });
}

export function approveDefinitions(
  id: string,
  definitions: readonly { readonly tool: string; readonly hash: string }[],
): Promise<Approved> {
  return request('POST /api/connections/{id}/definitions/approve', {
    path: { id },
    body: { definitions },
  });
}

/** Reads again what an act has changed, before the stream tells. */
export async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['connections'] });
}

/** The same where nobody waits for it. */
export function readSoon(): void {
  detach(readAgain(), reportError);
}
