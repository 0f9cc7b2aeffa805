/** Owns what the screen of tools reads: the tools, recorded calls, saved runs, whom one may act as. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { get, put } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import type { ToolRow } from '../../api/types.ts';

/** The name of a tool in the address and in lists. */
export function keyOf(tool: Pick<ToolRow, 'endpoint' | 'name'>): string {
  return `${tool.endpoint}:${tool.name}`;
}

/** All tools that the person may see; those of connections come, are approved and go. */
export function useTools(): UseQueryResult<ToolRow[]> {
  return useQuery({
    queryKey: ['connections', 'tools'],
    queryFn: ({ signal }) => get<ToolRow[]>('/api/tools', { signal }),
  });
}

/** A call as it was recorded. */
export interface RecordedCall {
  readonly id: string;
  readonly timestamp: string;
  readonly toolName: string;
  readonly outcome: string;
  readonly errorMessage: string | null;
  readonly durationMs: number;
}

/** A recorded call in full; arguments and result are JSON as text. */
export interface CallInFull extends RecordedCall {
  readonly input: string | null;
  readonly output: string | null;
}

/** The person's own runs of a tool. */
export function useOwnCalls(tool: string, userId: string): UseQueryResult<RecordedCall[]> {
  return useQuery({
    queryKey: ['calls', 'own', tool, userId],
    queryFn: async ({ signal }) => {
      const query = { tool, user: userId, source: 'web', limit: 50 };
      return (await get<{ calls: RecordedCall[] }>('/api/calls', { query, signal })).calls;
    },
    retry: false,
  });
}

/** One recorded call. */
export function useCall(id: string | undefined): UseQueryResult<CallInFull> {
  return useQuery({
    queryKey: ['calls', 'one', id],
    queryFn: ({ signal }) => get<CallInFull>(`/api/calls/${encodeURIComponent(id ?? '')}`, { signal }),
    enabled: id !== undefined,
  });
}

/** Someone whom the person may act as, or who has a tool too. */
export interface NamedCaller {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/** Whom the person may act as. */
export function useCallers(): UseQueryResult<NamedCaller[]> {
  return useQuery({
    queryKey: ['keys', 'callers'],
    queryFn: () => get<NamedCaller[]>('/api/callers'),
    retry: false,
  });
}

/** Who else has the tool. */
export function useWhoElse(tool: ToolRow): UseQueryResult<NamedCaller[]> {
  return useQuery({
    queryKey: ['keys', 'who', keyOf(tool)],
    queryFn: () =>
      get<NamedCaller[]>('/api/tools/who', { query: { endpoint: tool.endpoint, tool: tool.name } }),
    retry: false,
  });
}

/** Arguments under a name, kept with the saved views of the person. */
export interface SavedRun {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
}

const SAVED_PATH = '/api/views/tool-runs';
const SAVED_KEY = ['views', 'tool-runs'];

interface StoredRun {
  readonly name: string;
  readonly search: string;
}

/** All saved runs of the person. */
export function useSavedRuns(): UseQueryResult<SavedRun[]> {
  return useQuery({
    queryKey: SAVED_KEY,
    queryFn: async () => (await get<StoredRun[]>(SAVED_PATH)).flatMap(readRun),
  });
}

function readRun({ name, search }: StoredRun): SavedRun[] {
  try {
    const { tool, args } = JSON.parse(search) as { tool: string; args: unknown }; // As `saveRuns` writes it
    return [{ name: name.slice(0, name.lastIndexOf(MARK)), tool, args }];
  } catch {
    // Written by something else: it cannot be run.
    return [];
  }
}

// Names are unique in the list, runs only for their tool.
const MARK = ' · ';

/** Keeps the list of saved runs. */
export async function saveRuns(runs: readonly SavedRun[]): Promise<void> {
  const views = runs.map(({ name, tool, args }) => ({
    name: `${name}${MARK}${tool}`,
    search: JSON.stringify({ tool, args }),
  }));
  await put(SAVED_PATH, { views });
  queryClient.setQueryData(SAVED_KEY, runs);
}
