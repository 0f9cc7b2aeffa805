/** Owns reading and writing changelog entries, and what is typed before it is saved. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createDrafts } from '../../../api/drafts.ts';
import { queryClient } from '../../../api/query.ts';
import { request, requestWhole } from '../../../api/request.ts';
import type { ChangelogEntry } from '../../../api/schema.ts';
import { toast } from '../../../ui/toast-store.ts';
import { TOPIC } from '../shared/queries.ts';

/** A changelog entry. */
export type Entry = ChangelogEntry;

const PAGE_ROWS = 100;
const LIST = [TOPIC, 'changelog'] as const;

/** The pages of entries that were read so far; `published` and `search` narrow them. */
export function useChangelog(
  published: boolean | undefined,
  search: string | undefined,
  order: 'asc' | undefined,
) {
  return useInfiniteQuery({
    queryKey: [...LIST, published, search, order],
    queryFn: ({ pageParam, signal }) =>
      requestWhole('GET /api/v1/changelog', {
        query: { published, search, order, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** One entry. */
export function useEntry(id: string) {
  return useQuery({
    queryKey: [TOPIC, 'changelog-entry', id],
    queryFn: ({ signal }) => request('GET /api/v1/changelog/{id}', { path: { id }, signal }),
    enabled: id !== NEW,
  });
}

/** What stands in the address for an entry that is not saved yet. */
export const NEW = 'new';

/** What can be typed. */
export interface Text {
  readonly title: string;
  readonly content: string;
  readonly labels: readonly string[];
  readonly linkedPostIds: readonly string[];
}

/** Unsaved texts by entry: looking elsewhere or a lost server takes nothing of them. */
export const drafts = createDrafts<Text>();

/** Reads again what is shown of the changelog. */
async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: LIST });
  await queryClient.invalidateQueries({ queryKey: [TOPIC, 'changelog-entry'] });
}

/** Saves the text, and when it is published: absent leaves that as it is. */
export async function saveEntry(id: string, text: Text, publishedAt?: string | null): Promise<Entry> {
  const body = { ...text, ...(publishedAt !== undefined && { publishedAt }) };
  const saved = await (id === NEW
    ? request('POST /api/v1/changelog', { body })
    : request('PATCH /api/v1/changelog/{id}', { path: { id }, body }));
  // What was typed while it was saved is not saved yet.
  if (drafts.get(id) === text) drafts.delete(id);
  await refresh();
  return saved;
}

/** Deletes an entry for good, as one of several. */
export async function deleteOneOf({ id }: Entry): Promise<void> {
  await request('DELETE /api/v1/changelog/{id}', { path: { id } });
  drafts.delete(id);
}

/** Deletes an entry; one that nobody has read yet can be taken back. */
export async function deleteEntry({
  id,
  state,
  title,
  content,
  labels,
  linkedPostIds,
  publishedAt,
}: Entry): Promise<void> {
  await request('DELETE /api/v1/changelog/{id}', { path: { id } });
  drafts.delete(id);
  await refresh();
  const restore = async () => {
    await request('POST /api/v1/changelog', {
      body: { title, content, labels, linkedPostIds, publishedAt },
    });
    await refresh();
  };
  toast({ text: `“${title}” is deleted.`, ...(state !== 'published' && { onUndo: restore }) });
}
