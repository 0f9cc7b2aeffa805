/** Owns reading a roadmap, and the acts on it: moving, adding and taking posts off. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { del, getWhole, patch, post } from '../../../api/client.ts';
import { toast } from '../../../ui/toast-store.ts';
import { API, refreshFeedback, TOPIC } from '../shared/queries.ts';
import type { Page, Status } from '../shared/types.ts';

/** A post on a roadmap. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly voteCount: number;
  readonly statusId: string | null;
  readonly board: { readonly id: string; readonly name: string };
  readonly position: number;
}

/** A column of the roadmap. */
export interface Lane {
  readonly status: Status;
  readonly entries: readonly Entry[];
}

const PAGE_ROWS = 100;

/** The posts on a roadmap, in order. */
export function useEntries(roadmapId: string | undefined) {
  return useInfiniteQuery({
    queryKey: [TOPIC, 'roadmap', roadmapId],
    queryFn: ({ pageParam, signal }) =>
      getWhole<Page<Entry>>(`${API}/roadmaps/${roadmapId ?? ''}/posts`, {
        query: { limit: PAGE_ROWS, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
    enabled: roadmapId !== undefined,
  });
}

/** Where an entry is put: into a lane, before the entry that is there now. */
export interface Placing {
  readonly entry: Entry;
  readonly lane: Lane;
  /** Among the others of the lane. */
  readonly index: number;
}

/** Puts an entry somewhere else, and tells how to take that back. */
export async function placeEntry(roadmapId: string, { entry, lane, index }: Placing): Promise<void> {
  const others = lane.entries.filter(({ id }) => id !== entry.id);
  const position = positionAt(entry, others, index);
  const isElsewhere = entry.statusId !== lane.status.id;
  if (!isElsewhere && (position === undefined || position === entry.position)) return;
  await set(roadmapId, entry, isElsewhere ? lane.status.id : undefined, position);
  const back = isElsewhere && entry.statusId !== null ? entry.statusId : undefined;
  toast({
    text: isElsewhere ? `“${entry.title}” is now ${lane.status.name}.` : `“${entry.title}” moved.`,
    onUndo: () => set(roadmapId, entry, back, entry.position),
  });
}

async function set(
  roadmapId: string,
  { id }: Entry,
  statusId: string | undefined,
  position: number | undefined,
): Promise<void> {
  try {
    if (statusId !== undefined) await patch(`${API}/posts/${id}`, { statusId });
    if (position !== undefined) await patch(`${API}/roadmaps/${roadmapId}/posts/${id}`, { position });
  } finally {
    await refreshFeedback();
  }
}

/** All lanes share one row of places; taking the entry out closes its gap. */
function positionAt({ position: from }: Entry, others: readonly Entry[], index: number): number | undefined {
  const next = others[index];
  if (next) return from < next.position ? next.position - 1 : next.position;
  const last = others.at(-1);
  if (last) return from < last.position ? last.position : last.position + 1;
  return undefined;
}

/** Takes an entry off; the post stays. */
export async function removeEntry(roadmapId: string, entry: Entry): Promise<void> {
  await del(`${API}/roadmaps/${roadmapId}/posts/${entry.id}`);
  await refreshFeedback();
  toast({
    text: `“${entry.title}” is off the roadmap.`,
    onUndo: async () => {
      await post(`${API}/roadmaps/${roadmapId}/posts`, { postId: entry.id });
      await set(roadmapId, entry, undefined, entry.position);
    },
  });
}

/** Puts a post at the end. */
export async function addEntry(roadmapId: string, postId: string): Promise<void> {
  await post(`${API}/roadmaps/${roadmapId}/posts`, { postId });
  await refreshFeedback();
}
