/** Owns what the screen of tools reads: the tools, recorded calls, saved runs, whom one may act as. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { queryClient } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import type { Call, CallPage, NamedCaller, Tool, View } from '../../api/schema.ts';

/** The name of a tool in the address and in lists. */
export function keyOf(tool: Pick<Tool, 'endpoint' | 'name'>): string {
  return `${tool.endpoint}:${tool.name}`;
}

/** All tools that the person may see; those of connections come, are approved and go. */
export function useTools(): UseQueryResult<readonly Tool[]> {
  return useQuery({
    queryKey: ['connections', 'tools'],
    queryFn: ({ signal }) => request('GET /api/tools', { signal }),
  });
}

/** A call as it was recorded. */
export type RecordedCall = CallPage['calls'][number];

/** The person's own runs of a tool. */
export function useOwnCalls(tool: string, userId: string): UseQueryResult<readonly RecordedCall[]> {
  return useQuery({
    queryKey: ['calls', 'own', tool, userId],
    queryFn: async ({ signal }) => {
      const query = { tool, user: userId, source: 'web', limit: 50 };
      return (await request('GET /api/calls', { query, signal })).calls;
    },
    retry: false,
  });
}

/** One recorded call. */
export function useCall(id: string | undefined): UseQueryResult<Call> {
  return useQuery({
    queryKey: ['calls', 'one', id],
    queryFn: ({ signal }) => request('GET /api/calls/{callId}', { path: { callId: id ?? '' }, signal }),
    enabled: id !== undefined,
  });
}

/** Whom the person may act as. */
export function useCallers(): UseQueryResult<readonly NamedCaller[]> {
  return useQuery({
    queryKey: ['keys', 'callers'],
    queryFn: () => request('GET /api/callers'),
    retry: false,
  });
}

/** Who else has the tool. */
export function useWhoElse(tool: Tool): UseQueryResult<readonly NamedCaller[]> {
  return useQuery({
    queryKey: ['keys', 'who', keyOf(tool)],
    queryFn: () => request('GET /api/tools/who', { query: { endpoint: tool.endpoint, tool: tool.name } }),
    retry: false,
  });
}

/** Arguments under a name, kept with the saved views of the person. */
export interface SavedRun {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
}

const SAVED_PATH = { screen: 'tool-runs' };
const SAVED_KEY = ['views', 'tool-runs'];

/** All saved runs of the person. */
export function useSavedRuns(): UseQueryResult<SavedRun[]> {
  return useQuery({
    queryKey: SAVED_KEY,
    queryFn: async () => (await request('GET /api/views/{screen}', { path: SAVED_PATH })).flatMap(readRun),
  });
}

function readRun({ name, search }: View): SavedRun[] {
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
  await request('PUT /api/views/{screen}', { path: SAVED_PATH, body: { views } });
  queryClient.setQueryData(SAVED_KEY, runs);
}
