/** Owns the acts of triage: each changes one post or many at once, is shown at once, and can be taken back. */
import { queryClient } from '../../../api/query.ts';
import { request } from '../../../api/request.ts';
import type { BodyOf } from '../../../api/request.ts';
import { eachOf, missedWords, tryEach } from '../../../ui/each-of.ts';
import { toast } from '../../../ui/toast-store.ts';
import { refreshFeedback, TOPIC } from '../shared/queries.ts';
import type { InboxPost, Moderation, Post, Tag } from '../shared/types.ts';
import { changeShown } from './queries.ts';

/** What triage can change of a post. */
export type Change = Pick<
  BodyOf<'PATCH /api/v1/posts/{id}'>,
  'statusId' | 'boardId' | 'tagIds' | 'ownerMemberId'
>;

const MOST_AT_ONCE = 100;

/** The same change for posts, told in these words; `shown` is what lists show of it at once. */
export async function changePosts(
  posts: readonly Post[],
  change: Change,
  { words, shown }: { readonly words: string; readonly shown: Partial<Post> },
): Promise<void> {
  if (posts.length === 0) return;
  changeShown(idsOf(posts), () => shown);
  try {
    await write(posts, change);
  } finally {
    await refreshFeedback();
  }
  toast({ text: subject(posts, words), onUndo: () => restore(posts, change) });
}

async function write(posts: readonly Post[], change: Change): Promise<void> {
  const [only] = posts;
  if (posts.length === 1 && only) {
    await request('PATCH /api/v1/posts/{id}', { path: { id: only.id }, body: change });
    return;
  }
  const failed: string[] = [];
  for (let at = 0; at < posts.length; at += MOST_AT_ONCE) {
    const ids = idsOf(posts.slice(at, at + MOST_AT_ONCE));
    const outcomes = await request('POST /api/v1/posts/bulk-triage', { body: { ids, ...change } });
    failed.push(...outcomes.flatMap(({ ok, error }) => (ok ? [] : [error?.message ?? 'unknown'])));
  }
  if (failed.length > 0)
    toast({ text: `${failed.length} of ${posts.length} were not changed: ${failed[0]}`, tone: 'red' });
}

/** Gives posts back what they had; those that had the same go together. */
async function restore(posts: readonly Post[], change: Change): Promise<void> {
  const groups = new Map<string, { readonly before: Change; readonly posts: Post[] }>();
  for (const one of posts) {
    const before = beforeOf(one, change);
    const key = JSON.stringify(before);
    const group = groups.get(key) ?? { before, posts: [] };
    group.posts.push(one);
    groups.set(key, group);
  }
  for (const { before, posts: same } of groups.values()) await write(same, before);
  await refreshFeedback();
}

function beforeOf(post: Post, change: Change): Change {
  return {
    ...(change.statusId !== undefined && post.statusId !== null && { statusId: post.statusId }),
    ...(change.boardId !== undefined && { boardId: post.boardId }),
    ...(change.tagIds !== undefined && { tagIds: post.tags.map(({ id }) => id) }),
    ...(change.ownerMemberId !== undefined && { ownerMemberId: post.ownerMemberId }),
  };
}

/** Adds tags to posts and takes others away; each keeps those that were not touched. */
export async function retag(
  posts: readonly Post[],
  { added, removed }: { readonly added: readonly Tag[]; readonly removed: readonly Tag[] },
): Promise<void> {
  if (added.length === 0 && removed.length === 0) return;
  const gone = new Set(idsOf(removed));
  const groups = new Map<string, { readonly tags: readonly Tag[]; readonly posts: Post[] }>();
  for (const one of posts) {
    const kept = one.tags.filter(({ id }) => !gone.has(id));
    const tags = [...kept, ...added.filter(({ id }) => !kept.some((tag) => tag.id === id))];
    const key = idsOf(tags).toSorted().join();
    const group = groups.get(key) ?? { tags, posts: [] };
    group.posts.push(one);
    groups.set(key, group);
  }
  try {
    for (const { tags, posts: same } of groups.values()) {
      changeShown(idsOf(same), () => ({ tags }));
      await write(same, { tagIds: idsOf(tags) });
    }
  } finally {
    await refreshFeedback();
  }
  toast({ text: subject(posts, 'tagged anew'), onUndo: () => restore(posts, { tagIds: [] }) });
}

const MODERATION_WORDS: Readonly<Record<Moderation, string>> = {
  published: 'approved: everybody sees it now',
  pending: 'held back for another look',
  spam: 'marked as spam',
  archived: 'archived: out of sight',
};

/** Publishes posts, or holds them back. */
export async function moderate(
  posts: readonly (Post & { readonly moderation: Moderation })[],
  state: Moderation,
): Promise<void> {
  const changed = posts.filter(({ moderation }) => moderation !== state);
  if (changed.length === 0) return;
  const set = ({ id }: Post, to: Moderation) =>
    request('PUT /api/v1/posts/{id}/moderation', { path: { id }, body: { state: to } });
  changeShown(idsOf(changed), () => ({ moderation: state }));
  const done = await tried(changed, (post) => set(post, state));
  if (done.length === 0) return;
  toast({
    text: subject(done, MODERATION_WORDS[state]),
    async onUndo() {
      await thenRefreshed(eachOf(done, (post) => set(post, post.moderation)));
    },
  });
}

/** Deletes posts; they can be restored for 30 days. */
export async function deletePosts(posts: readonly Post[]): Promise<void> {
  const done = await tried(posts, ({ id }) => request('DELETE /api/v1/posts/{id}', { path: { id } }));
  if (done.length > 0) toast({ text: subject(done, 'deleted'), onUndo: () => restorePosts(done) });
}

async function thenRefreshed(work: Promise<void>): Promise<void> {
  try {
    await work;
  } finally {
    await refreshFeedback();
  }
}

/** Does something to each post, says what of it could not be done, and tells for which it was. */
async function tried<P extends Post>(
  posts: readonly P[],
  work: (post: P) => Promise<unknown>,
): Promise<readonly P[]> {
  const end = await tryEach(posts, work);
  await refreshFeedback();
  const missed = missedWords(posts.length, end);
  if (missed !== undefined) toast({ text: missed, tone: 'red' });
  return end.done;
}

/** Brings deleted posts back. */
export async function restorePosts(posts: readonly Pick<Post, 'id'>[]): Promise<void> {
  const restore = ({ id }: Pick<Post, 'id'>) => request('POST /api/v1/posts/{id}/restore', { path: { id } });
  await thenRefreshed(eachOf(posts, restore));
}

/** Merges a duplicate into the post that stays. */
export async function mergePosts(
  duplicates: readonly Post[],
  into: Pick<Post, 'id' | 'title'>,
): Promise<void> {
  const merged = await tried(
    duplicates.filter(({ id }) => id !== into.id),
    ({ id }) =>
      request('POST /api/v1/posts/{id}/merge', { path: { id }, body: { canonicalPostId: into.id } }),
  );
  if (merged.length === 0) return;
  toast({
    text: subject(merged, `merged into “${short(into.title)}”`),
    onUndo: async () => {
      for (const { id } of merged) await request('POST /api/v1/posts/{id}/unmerge', { path: { id } });
      await refreshFeedback();
    },
  });
}

/** Marks everything as seen. */
export async function markAllRead(): Promise<void> {
  await request('PUT /api/v1/inbox/read-mark', { body: { before: new Date().toISOString() } });
  await refreshFeedback();
  await queryClient.invalidateQueries({ queryKey: ['counts'] });
}

/** Makes a tag; answers its id. */
export async function createTag(name: string): Promise<string> {
  const { id } = await request('POST /api/v1/tags', { body: { name } });
  await queryClient.invalidateQueries({ queryKey: [TOPIC, 'tags'] });
  return id;
}

const SHORT = 48;

function short(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT).trimEnd()}…` : text;
}

function subject(posts: readonly Post[], words: string): string {
  const [first] = posts;
  return posts.length === 1 && first ? `“${short(first.title)}” ${words}` : `${posts.length} posts ${words}`;
}

function idsOf(things: readonly { readonly id: string }[]): string[] {
  return things.map(({ id }) => id);
}

/** What a list row and an open post have in common for triage. */
export type Triaged = Post & { readonly moderation: Moderation };

/** True for posts that wait for a word of the team. */
export function isWaiting({ moderation }: Pick<InboxPost, 'moderation'>): boolean {
  return moderation !== 'published';
}
