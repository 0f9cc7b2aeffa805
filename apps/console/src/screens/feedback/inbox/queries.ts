/** Owns reading the inbox: pages of posts, counts, one post with its talk, and changing what was read in place. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { queryClient } from '../../../api/query.ts';
import { request, requestWhole } from '../../../api/request.ts';
import type { WholeOf } from '../../../api/request.ts';
import type { Search } from '../../../ui/use-screen.ts';
import { TOPIC } from '../shared/queries.ts';
import type { InboxPost, Post, PostDetail } from '../shared/types.ts';

/** What the list can show. */
export const VIEWS = ['all', 'unread', 'unanswered', 'pending', 'spam', 'archived'] as const;
export type View = (typeof VIEWS)[number];

/** The orders of the list. */
export const SORTS = ['newest', 'oldest', 'votes'] as const;

const PAGE_ROWS = 100;
const LIST = [TOPIC, 'inbox'] as const;

/** The view that the address names. */
export function viewOf({ view }: Search): View {
  return VIEWS.find((known) => known === view) ?? 'all';
}

/** True for posts that are held back; they have one order and no search. */
export function isHeld(view: View): boolean {
  return view === 'pending' || view === 'spam' || view === 'archived';
}

/** What of the address narrows the list. */
export function filterOf(search: Search): Record<string, string | undefined> {
  const { board, status, tag, owner, q, sort } = search;
  const view = viewOf(search);
  if (isHeld(view)) return { view, boardId: board };
  const order = SORTS.find((known) => known === sort);
  return { view, boardId: board, status, tagIds: tag, ownerMemberId: owner, search: q, sort: order };
}

/** The pages of the list that were read so far. */
export function useInbox(search: Search) {
  const filter = filterOf(search);
  return useInfiniteQuery({
    queryKey: [...LIST, filter],
    queryFn: ({ pageParam, signal }) =>
      requestWhole('GET /api/v1/inbox/posts', {
        query: { ...filter, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
    placeholderData: (before, query) => (isSameView(query?.queryKey, filter) ? before : undefined),
  });
}

/** While a filter changes inside a view the list before stays, so that nothing flickers. */
function isSameView(
  key: readonly unknown[] | undefined,
  filter: Record<string, string | undefined>,
): boolean {
  const before = key?.[2];
  return typeof before === 'object' && before !== null && 'view' in before && before.view === filter['view'];
}

/** How many posts wait. */
export function useCounts() {
  return useQuery({
    queryKey: [TOPIC, 'counts'],
    queryFn: ({ signal }) => request('GET /api/v1/inbox/counts', { signal }),
  });
}

const detailKey = (id: string) => [TOPIC, 'post', id] as const;

/** One post. */
export function usePost(id: string) {
  return useQuery({
    queryKey: detailKey(id),
    queryFn: ({ signal }) => request('GET /api/v1/posts/{id}', { path: { id }, signal }),
  });
}

/** What was said about a post. */
export function useComments(id: string) {
  return useQuery({
    queryKey: [TOPIC, 'comments', id],
    queryFn: ({ signal }) => request('GET /api/v1/posts/{id}/comments', { path: { id }, signal }),
  });
}

const SIMILAR = 6;

/** Posts that share the telling words of another one. */
export function useSimilar(post: Pick<Post, 'id' | 'title' | 'content'>) {
  const { id, title, content } = post;
  return useQuery({
    queryKey: [TOPIC, 'similar', id, title],
    queryFn: ({ signal }) =>
      request('GET /api/v1/posts/similar', {
        query: { title, content: content.slice(0, 500), limit: SIMILAR },
        signal,
      }),
    select: (posts) => posts.filter((other) => other.id !== id),
  });
}

/** Marks a post as seen or not, and shows it at once. */
export async function markRead(id: string, isRead: boolean): Promise<void> {
  changeShown([id], () => ({ isUnread: !isRead }));
  await request(isRead ? 'PUT /api/v1/posts/{id}/read' : 'DELETE /api/v1/posts/{id}/read', { path: { id } });
  await queryClient.invalidateQueries({ queryKey: [TOPIC, 'counts'] });
  // The number in the rail is not told by the stream: reading changes nothing for others.
  await queryClient.invalidateQueries({ queryKey: ['counts'] });
}

/** Changes posts where they are shown, before the server has answered. */
export function changeShown(
  ids: readonly string[],
  change: (post: Post) => Partial<InboxPost & PostDetail>,
): void {
  const wanted = new Set(ids);
  queryClient.setQueriesData<InfiniteData<WholeOf<'GET /api/v1/inbox/posts'>>>({ queryKey: LIST }, (data) => {
    if (!data) return data;
    const changed = (post: InboxPost) => (wanted.has(post.id) ? { ...post, ...change(post) } : post);
    return { ...data, pages: data.pages.map((page) => ({ ...page, data: page.data.map(changed) })) };
  });
  for (const id of ids)
    queryClient.setQueryData<PostDetail>(detailKey(id), (post) => post && { ...post, ...change(post) });
}
