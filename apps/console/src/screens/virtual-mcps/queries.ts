/** Owns what the screen of virtual MCPs reads and does. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { queryClient, useToolQuery } from '../../api/query.ts';
import { request, requestWhole } from '../../api/request.ts';
import type { BodyOf } from '../../api/request.ts';
import { detach } from '../../detach.ts';
import type { Search } from '../../ui/use-screen.ts';
import type { TriedTool, VirtualMcpGlance } from '../../api/schema.ts';
import type { Member, VirtualMcp, VirtualTool } from './types.ts';

const SELF = 'self';

const PAGE_ROWS = 200;

/** Those that fit, by title, more of them as the list is read on. */
export function useVirtualMcps({ q, state, has }: Search) {
  return useInfiniteQuery({
    queryKey: ['virtual-mcps', 'glances', q, state, has],
    queryFn: ({ pageParam, signal }) =>
      requestWhole('GET /api/virtual-mcps', {
        query: { text: q, state, has, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

const MOST_CHOICES = 500;

/** Virtual MCPs to choose from: as many as the server tells at once. */
export function useVirtualChoices() {
  return useQuery({
    queryKey: ['virtual-mcps', 'choices'],
    queryFn: ({ signal }) => request('GET /api/virtual-mcps', { query: { limit: MOST_CHOICES }, signal }),
  });
}

/** One of them, which the list may not have read yet. */
export async function readGlance(id: string, signal: AbortSignal): Promise<VirtualMcpGlance | undefined> {
  const [found] = await request('GET /api/virtual-mcps', { query: { id }, signal });
  return found;
}

export function useVirtualMcp(id: string) {
  return useToolQuery<{ item: VirtualMcp | null }>({
    topic: 'virtual-mcps',
    endpoint: SELF,
    tool: 'COLLECTION_VIRTUAL_MCP_GET',
    args: { id },
  });
}

export function useDescribed(id: string) {
  return useQuery({
    queryKey: ['virtual-mcps', 'described', id],
    queryFn: ({ signal }) => request('GET /api/virtual-mcps/{id}/tools', { path: { id }, signal }),
  });
}

export function useVirtualTools(id: string) {
  return useToolQuery<{ items: VirtualTool[] }>({
    topic: 'virtual-mcps',
    endpoint: SELF,
    tool: 'COLLECTION_VIRTUAL_TOOLS_LIST',
    args: { virtual_mcp_id: id, limit: 1000 },
  });
}

export function createVirtualMcp(data: object): Promise<{ item: VirtualMcp }> {
  return callTool(SELF, 'COLLECTION_VIRTUAL_MCP_CREATE', { data });
}

export function updateVirtualMcp(id: string, data: object): Promise<{ item: VirtualMcp }> {
  return callTool(SELF, 'COLLECTION_VIRTUAL_MCP_UPDATE', { id, data });
}

/** Stores other members; those are sent as they are read. */
export function keepMembers(id: string, connections: readonly Member[]): Promise<{ item: VirtualMcp }> {
  return updateVirtualMcp(id, { connections });
}

export function deleteVirtualMcp(id: string): Promise<unknown> {
  return callTool(SELF, 'COLLECTION_VIRTUAL_MCP_DELETE', { id });
}

export function createVirtualTool(id: string, data: object): Promise<{ item: VirtualTool }> {
  return callTool(SELF, 'COLLECTION_VIRTUAL_TOOLS_CREATE', { virtual_mcp_id: id, data });
}

export function updateVirtualTool(id: string, name: string, data: object): Promise<{ item: VirtualTool }> {
  return callTool(SELF, 'COLLECTION_VIRTUAL_TOOLS_UPDATE', { virtual_mcp_id: id, name, data });
}

export function deleteVirtualTool(id: string, name: string): Promise<unknown> {
  return callTool(SELF, 'COLLECTION_VIRTUAL_TOOLS_DELETE', { virtual_mcp_id: id, name });
}

/** What a draft of a tool is tried with. */
export type Draft = BodyOf<'POST /api/virtual-mcps/{id}/try'>;

export function tryVirtualTool(id: string, draft: Draft): Promise<TriedTool> {
  return request('POST /api/virtual-mcps/{id}/try', { path: { id }, body: draft });
}

/** Reads again what an act has changed, before the stream tells. */
export async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['virtual-mcps'] });
}

/** The same where nobody waits for it. */
export function readSoon(): void {
  detach(readAgain(), reportError);
}
