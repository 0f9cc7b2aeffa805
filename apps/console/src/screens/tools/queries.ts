/** Owns what the screen of tools reads: the tools, recorded calls, saved runs, whom one may act as. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import type { NamedCaller, Run, RunPage, Tool, View } from '../../api/schema.ts';

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

/** A run of the person's own as it was recorded. */
export type OwnRun = RunPage['runs'][number];

const RUNS_PAGE = 50;
/** Above the topic of calls: those who may not look at them do not hear of them, and a run tells by itself. */
const RUNS_KEY = 'own-runs';

/** The person's own runs of a tool, newest first. */
export function useOwnRuns({ endpoint, name }: Pick<Tool, 'endpoint' | 'name'>) {
  return useInfiniteQuery({
    queryKey: [RUNS_KEY, endpoint, name],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/runs', {
        query: { endpoint, tool: name, before: pageParam, limit: RUNS_PAGE },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => (last.hasMore ? last.runs.at(-1)?.id : undefined),
    // Records are written a moment after the call: what is shown again is read again.
    staleTime: 0,
  });
}

/** One recorded call: of the person's own, or of anybody for those who may look at calls. */
export function useRecorded(id: string | undefined): UseQueryResult<Run> {
  return useQuery({
    queryKey: ['recorded', id],
    queryFn: async ({ signal }) => {
      const path = { callId: id ?? '' };
      try {
        return await request('GET /api/runs/{callId}', { path, signal });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        return request('GET /api/calls/{callId}', { path, signal });
      }
    },
    enabled: id !== undefined,
    retry: false,
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

/** Who else has the tool; null: not shown to this person. */
export function useWhoElse(tool: Tool): UseQueryResult<readonly NamedCaller[] | null> {
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
    queryFn: readRuns,
  });
}

async function readRuns(): Promise<SavedRun[]> {
  return (await request('GET /api/views/{screen}', { path: SAVED_PATH })).flatMap(readRun);
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

/** Changes the list of saved runs as the server has it now: this tab may have read it long ago, or not yet. */
async function changeRuns(next: (now: readonly SavedRun[]) => readonly SavedRun[]): Promise<void> {
  const runs = next(await readRuns());
  const views = runs.map(({ name, tool, args }) => ({
    name: `${name}${MARK}${tool}`,
    search: JSON.stringify({ tool, args }),
  }));
  await request('PUT /api/views/{screen}', { path: SAVED_PATH, body: { views } });
  queryClient.setQueryData(SAVED_KEY, runs);
}

/** Keeps a run, in the place of the one of its name. */
export async function saveRun(run: SavedRun): Promise<void> {
  await changeRuns((now) => [...now.filter((one) => !isSameRun(one, run)), run]);
}

/** Forgets a saved run. */
export async function removeRun(run: SavedRun): Promise<void> {
  await changeRuns((now) => now.filter((one) => !isSameRun(one, run)));
}

function isSameRun(one: SavedRun, other: SavedRun): boolean {
  return one.tool === other.tool && one.name === other.name;
}
