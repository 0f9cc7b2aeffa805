/** Owns what the screen of connections reads and does. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { get, getWhole, post } from '../../api/client.ts';
import { queryClient, useToolQuery } from '../../api/query.ts';
import { detach } from '../../detach.ts';
import type { Search } from '../../ui/use-screen.ts';
import type { AuthState, AuthStep, Connection, ConnectionGlance, Definitions, TestOutcome } from './types.ts';

export const SELF = 'self';

interface GlancePage {
  readonly data: readonly ConnectionGlance[];
  readonly pagination: { readonly cursor: string | null; readonly total: number };
}

const PAGE_ROWS = 200;

/** Connections that fit, by title, more of them as the list is read on. */
export function useConnections({ q, health, type, waits }: Search) {
  return useInfiniteQuery({
    queryKey: ['connections', 'glances', q, health, type, waits],
    queryFn: ({ pageParam, signal }) =>
      getWhole<GlancePage>('/api/connections', {
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
  const [found] = await get<ConnectionGlance[]>('/api/connections', { query: { ids }, signal });
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
        const page: GlancePage = await getWhole('/api/connections', { query, signal });
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
    queryFn: ({ signal }) =>
      get<Definitions>(`/api/connections/${encodeURIComponent(id)}/definitions`, { signal }),
  });
}

export function useAuth(id: string, isWatched: boolean) {
  return useQuery({
    queryKey: ['connections', 'auth', id],
    queryFn: ({ signal }) =>
      get<AuthState & { readonly steps: readonly AuthStep[] }>(
        `/api/connections/${encodeURIComponent(id)}/auth`,
        {
          signal,
        },
      ),
    // While the browser is elsewhere, what comes of it is wanted at once.
    refetchInterval: isWatched ? 2_000 : false,
  });
}

export function usePeople(id: string, isOff: boolean) {
  return useQuery({
    queryKey: ['connections', 'people', id],
    queryFn: ({ signal }) =>
      get<ConnectionPeople>(`/api/connections/${encodeURIComponent(id)}/people`, { signal }),
    enabled: !isOff,
  });
}

export interface ConnectionPeople {
  readonly people: readonly PersonAuth[];
  readonly members: number;
}

export interface PersonAuth {
  readonly userId: string | null;
  readonly name: string;
  readonly kind: string;
  readonly state: AuthState['state'];
  readonly expiresAt: string | null;
  readonly updatedAt: string;
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
export function refreshConnection(id: string): Promise<{ tools: number; held: number; status: string }> {
  return post(`/api/connections/${encodeURIComponent(id)}/refresh`);
}

export function approveDefinitions(
  id: string,
  definitions: readonly { readonly tool: string; readonly hash: string }[],
): Promise<{ approved: number }> {
  return post(`/api/connections/${encodeURIComponent(id)}/definitions/approve`, { definitions });
}

/** Reads again what an act has changed, before the stream tells. */
export async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['connections'] });
}

/** The same where nobody waits for it. */
export function readSoon(): void {
  detach(readAgain(), reportError);
}
