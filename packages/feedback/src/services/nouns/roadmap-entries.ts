/** Putting posts on a roadmap, moving them and taking them off; the roadmap is held meanwhile. */
import type { StoreTransaction } from '@parley/store';
import { conflict, notFound } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { RoadmapPost } from '../../shapes/nouns.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import { findRoadmapPost } from './roadmap-posts.ts';
import type { Change } from '../write.ts';

/** A post on a roadmap. */
export interface Entry {
  readonly roadmapId: string;
  readonly postId: string;
}

/** Puts a post at the end. */
export async function addRoadmapPost(current: Change, entry: Entry): Promise<RoadmapPost> {
  const { tx, now, actor, activity } = current;
  const { organizationId } = actor;
  await requireListed(tx, organizationId, entry.postId);
  const last = await lastPosition(tx, organizationId, entry.roadmapId);
  const { numInsertedOrUpdatedRows } = await tx
    .db<FeedbackTables>()
    .insertInto('feedback_roadmap_posts')
    .values({
      organization_id: organizationId,
      roadmap_id: entry.roadmapId,
      post_id: entry.postId,
      position: last + 1,
      created_at: now,
    })
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw conflict('This post is on the roadmap already');
  await activity(entry.postId, 'roadmap_added', null, entry.roadmapId);
  return requireEntry(current, entry);
}

/** Moves a post; the positions of those that stand between its places shift by one. */
export async function moveRoadmapPost(
  current: Change,
  entry: Entry,
  { position, check }: { position: number; check: CheckCurrent<RoadmapPost> | undefined },
): Promise<RoadmapPost> {
  const { tx, actor } = current;
  const before = await requireEntry(current, entry);
  check?.(before);
  const last = await lastPosition(tx, actor.organizationId, entry.roadmapId);
  const to = Math.min(Math.max(position, 0), last);
  const from = before.position;
  if (to === from) return before;
  const isUp = to < from;
  await entriesOf(tx, actor.organizationId, entry.roadmapId)
    .set(({ eb }) => ({ position: eb('position', '+', isUp ? 1 : -1) }))
    .where('position', '>=', Math.min(from, to))
    .where('position', '<=', Math.max(from, to))
    .where('post_id', '<>', entry.postId)
    .execute();
  await entriesOf(tx, actor.organizationId, entry.roadmapId)
    .set({ position: to })
    .where('post_id', '=', entry.postId)
    .execute();
  return requireEntry(current, entry);
}

/** Takes a post off; the others keep their positions. */
export async function removeRoadmapPost(
  current: Change,
  entry: Entry,
  check: CheckCurrent<RoadmapPost> | undefined,
): Promise<void> {
  const { tx, actor, activity } = current;
  if (check !== undefined) check(await requireEntry(current, entry));
  const { numDeletedRows } = await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_roadmap_posts')
    .where('organization_id', '=', actor.organizationId)
    .where('roadmap_id', '=', entry.roadmapId)
    .where('post_id', '=', entry.postId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound('Roadmap entry');
  await activity(entry.postId, 'roadmap_removed', entry.roadmapId, null);
}

function entriesOf(tx: StoreTransaction, organizationId: string, roadmapId: string) {
  return tx
    .db<FeedbackTables>()
    .updateTable('feedback_roadmap_posts')
    .where('organization_id', '=', organizationId)
    .where('roadmap_id', '=', roadmapId);
}

async function requireEntry({ tx, actor }: Change, entry: Entry): Promise<RoadmapPost> {
  const found = await findRoadmapPost(tx, actor.organizationId, entry);
  if (found === undefined) throw notFound('Roadmap entry');
  return found;
}

async function lastPosition(
  tx: StoreTransaction,
  organizationId: string,
  roadmapId: string,
): Promise<number> {
  const last = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_roadmap_posts')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('organization_id', '=', organizationId)
    .where('roadmap_id', '=', roadmapId)
    .executeTakeFirst();
  return last?.position ?? -1;
}

/** Only posts that lists show can be planned. */
async function requireListed(tx: StoreTransaction, organizationId: string, postId: string): Promise<void> {
  const post = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .select(['state', 'merged_into_id'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', postId)
    .executeTakeFirst();
  if (post === undefined) throw notFound('Post');
  if (post.state === 'listed') return;
  if (post.state === 'deleted') throw conflict('This post is deleted. Restore it first.');
  if (post.merged_into_id !== null)
    throw conflict(`This post is merged into ${post.merged_into_id}. Add that one instead.`);
  throw conflict('This post is not published yet.');
}
