/** How the posts that fit a filter are spread over statuses, boards, tags and owners. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { fromIdentityId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { InboxCounts } from '../../shapes/inbox.ts';
import type { PostFilter } from '../../shapes/posts.ts';
import { allow } from '../guard.ts';
import { countWaiting } from './inbox-posts.ts';
import { countHeld } from './moderation.ts';
import type { CheckedFilter } from '../posts/filter.ts';
import { checkFilter, requireNamed } from '../posts/filter.ts';
import { isIndexed, matching } from '../posts/match.ts';

/** Counts everything in a few queries, whatever the number of statuses, boards, tags and owners. */
export async function countInbox(store: Store, actor: Actor, filter: PostFilter): Promise<InboxCounts> {
  if (filter.showDeleted === true) allow('admin', actor);
  const { organizationId } = actor;
  const checked = await checkFilter(store, actor, filter);
  const [waiting, pending, places, tags] = await Promise.all([
    countWaiting(store, actor),
    countHeld(store, organizationId, { state: 'pending', boardId: checked?.boardId }),
    checked === undefined ? [] : placesOf(store, checked),
    checked === undefined ? [] : tagsOf(store, checked),
  ]);
  if (places.length === 0) await requireNamed(store, actor, filter);
  return {
    total: places.reduce((sum, { posts }) => sum + posts, 0),
    pending,
    ...waiting,
    byStatus: sumBy(places, ({ status }) => status).map(([statusId, posts]) => ({ statusId, posts })),
    byBoard: sumBy(places, ({ board }) => board).map(([boardId, posts]) => ({ boardId, posts })),
    byTag: sumBy(tags, ({ tag }) => tag).map(([tagId, posts]) => ({ tagId, posts })),
    byOwner: sumBy(places, ({ owner }) => owner).map(([owner, posts]) => ({
      ownerMemberId: owner === null ? null : fromIdentityId('member', owner),
      posts,
    })),
  };
}

interface Counted {
  readonly posts: number;
}

/** Posts that stand in the same place. */
interface Place extends Counted {
  readonly board: string;
  readonly status: string;
  readonly owner: string | null;
}

async function placesOf(store: Store, filter: CheckedFilter): Promise<Place[]> {
  if (filter.search === undefined && isIndexed(filter)) return keptPlaces(store, filter);
  const rows = await matching(store, filter)
    .select(['post.board_id as board', 'post.status_id as status', 'post.owner_member_id as owner'])
    .select(({ fn }) => fn.countAll<number | string>().as('posts'))
    .groupBy(['post.board_id', 'post.status_id', 'post.owner_member_id'])
    .execute();
  return rows.map((row) => ({ ...row, posts: Number(row.posts) }));
}

/** From the counts that triggers keep; only posts that have an owner are looked at, and the rest has none. */
async function keptPlaces(store: Store, filter: CheckedFilter): Promise<Place[]> {
  const { organizationId, states, boardId, boardIds, statusId } = filter;
  let kept = store
    .db<FeedbackTables>()
    .selectFrom('feedback_post_counts')
    .select(['board_id as board', 'status_id as status'])
    .select(({ fn }) => fn.sum<number | string>('posts').as('posts'))
    .where('organization_id', '=', organizationId)
    .where('state', 'in', states)
    .groupBy(['board_id', 'status_id']);
  if (boardId !== undefined) kept = kept.where('board_id', '=', boardId);
  if (boardIds !== undefined) kept = kept.where('board_id', 'in', boardIds);
  if (statusId !== undefined) kept = kept.where('status_id', '=', statusId);
  const owned = matching(store, filter)
    .select(['post.board_id as board', 'post.status_id as status', 'post.owner_member_id as owner'])
    .select(({ fn }) => fn.countAll<number | string>().as('posts'))
    .where('post.owner_member_id', 'is not', null)
    .groupBy(['post.board_id', 'post.status_id', 'post.owner_member_id']);
  const [all, taken] = await Promise.all([kept.execute(), owned.execute()]);
  const places = taken.map((row) => ({ ...row, posts: Number(row.posts) }));
  const free = all.map(({ board, status, posts }) => {
    const here = places.filter((place) => place.board === board && place.status === status);
    const ownedHere = here.reduce((sum, place) => sum + place.posts, 0);
    // A post that got an owner between the two queries is not counted twice.
    return { board, status, owner: null, posts: Math.max(0, Number(posts) - ownedHere) };
  });
  return [...places, ...free];
}

async function tagsOf(store: Store, filter: CheckedFilter): Promise<(Counted & { tag: string })[]> {
  const rows = await matching(store, filter)
    .innerJoin('feedback_post_tags as on', (join) =>
      join.onRef('on.organization_id', '=', 'post.organization_id').onRef('on.post_id', '=', 'post.id'),
    )
    .select('on.tag_id as tag')
    .select(sql<number | string>`count(*)`.as('posts'))
    .groupBy('on.tag_id')
    .execute();
  return rows.map((row) => ({ ...row, posts: Number(row.posts) }));
}

/** Sums by a key, the most first, ties by key; what has no posts is left out. */
function sumBy<Row extends Counted, Key extends string | null>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): [Key, number][] {
  const sums = new Map<Key, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.posts);
  return [...sums]
    .filter(([, posts]) => posts > 0)
    .toSorted(([a, most], [b, more]) => more - most || ((a ?? '') < (b ?? '') ? -1 : 1));
}
