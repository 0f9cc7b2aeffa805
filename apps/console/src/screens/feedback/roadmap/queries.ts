/** Owns reading a roadmap, and the acts on it: moving, adding and taking posts off. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { request, requestWhole } from '../../../api/request.ts';
import type { RoadmapPost } from '../../../api/schema.ts';
import { toast } from '../../../ui/toast-store.ts';
import { refreshFeedback, TOPIC } from '../shared/queries.ts';
import type { Status } from '../shared/types.ts';

/** A post on a roadmap. */
export type Entry = RoadmapPost;

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
      requestWhole('GET /api/v1/roadmaps/{id}/posts', {
        path: { id: roadmapId ?? '' },
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
    if (statusId !== undefined)
      await request('PATCH /api/v1/posts/{id}', { path: { id }, body: { statusId } });
    if (position !== undefined)
      await request('PATCH /api/v1/roadmaps/{id}/posts/{postId}', {
        path: { id: roadmapId, postId: id },
        body: { position },
      });
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
  await request('DELETE /api/v1/roadmaps/{id}/posts/{postId}', { path: { id: roadmapId, postId: entry.id } });
  await refreshFeedback();
  toast({
    text: `“${entry.title}” is off the roadmap.`,
    onUndo: async () => {
      await request('POST /api/v1/roadmaps/{id}/posts', {
        path: { id: roadmapId },
        body: { postId: entry.id },
      });
      await set(roadmapId, entry, undefined, entry.position);
    },
  });
}

/** Puts a post at the end. */
export async function addEntry(roadmapId: string, postId: string): Promise<void> {
  await request('POST /api/v1/roadmaps/{id}/posts', { path: { id: roadmapId }, body: { postId } });
  await refreshFeedback();
}
