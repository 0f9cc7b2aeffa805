/** Merging duplicates into a canonical post, and taking that back. */
import type { Actor } from '../../actor.ts';
import { conflict } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { PostDetail } from '../../shapes/posts.ts';
import { countComments } from '../comments/create.ts';
import type { TalkedPost } from '../posts/access.ts';
import { findAndHoldPost, findPost, requirePost } from '../posts/access.ts';
import { withoutEmail } from '../posts/create.ts';
import { holdFamilies, holdPath, lockIds } from '../posts/family.ts';
import { uniteVotes } from './united.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** Which post goes where. */
export interface Merge {
  readonly duplicatePostId: string;
  readonly canonicalPostId: string;
}

/** What the team can do with duplicates. */
export interface MergeService {
  /** Votes are united without doubles, comments are shown together; returns the canonical post. */
  merge(actor: Actor, merge: Merge): Promise<PostDetail>;
  /** Votes, comments and counts are as if the two had never been merged; returns the post that is free again. */
  unmerge(actor: Actor, postId: string): Promise<PostDetail>;
}

export function createMerges(base: Base): MergeService {
  return {
    async merge(actor, { duplicatePostId, canonicalPostId }) {
      const duplicateId = checkId('post', duplicatePostId);
      const canonicalId = checkId('post', canonicalPostId);
      if (duplicateId === canonicalId) throw conflict('A post cannot be merged into itself.');
      return change(base, actor, (current) => mergePosts(current, duplicateId, canonicalId));
    },
    async unmerge(actor, postId) {
      const id = checkId('post', postId);
      return change(base, actor, (current) => unmergePost(current, id));
    },
  };
}

interface Pair {
  readonly duplicate: TalkedPost;
  readonly canonical: TalkedPost;
}

async function mergePosts(current: Change, duplicateId: string, canonicalId: string): Promise<PostDetail> {
  await holdFamilies(current, 'alone');
  const { duplicate, canonical } = await holdPair(current, duplicateId, canonicalId);
  await markChanged(current, duplicate, { merged_into_id: canonicalId });
  await countComments(current, [canonicalId], duplicate.comment_count);
  await uniteVotes(current, canonicalId);
  await markChanged(current, canonical);
  await current.activity(duplicateId, 'merged', null, canonicalId);
  await current.activity(canonicalId, 'duplicate_added', null, duplicateId);
  if (duplicate.moderation === 'published') await announce(current, duplicate, canonicalId);
  await touchLists(current);
  return requirePost(current, canonicalId);
}

async function announce(current: Change, { id, board_id }: TalkedPost, canonicalId: string): Promise<void> {
  const post = withoutEmail(await requirePost(current, id));
  await current.event(
    'post.merged',
    { postId: id, boardId: board_id },
    { post, duplicatePostId: id, canonicalPostId: canonicalId },
  );
}

/** Both posts, held; neither is part of another one, so each is the top of its family. */
async function holdPair({ tx, actor }: Change, duplicateId: string, canonicalId: string): Promise<Pair> {
  const look = async (): Promise<Pair> => {
    const pair = {
      duplicate: await findPost(tx, actor, duplicateId),
      canonical: await findPost(tx, actor, canonicalId),
    };
    requireMergeable(pair);
    return pair;
  };
  await look();
  await lockIds(tx, actor, [duplicateId, canonicalId]);
  return look();
}

function requireMergeable({ duplicate, canonical }: Pair): void {
  if (duplicate.deleted_at !== null || canonical.deleted_at !== null)
    throw conflict('A deleted post cannot be merged. Restore it first.');
  if (duplicate.merged_into_id !== null)
    throw conflict(`This post is already merged into ${duplicate.merged_into_id}. Unmerge it first.`);
  if (canonical.merged_into_id !== null)
    throw conflict(
      `The canonical post is itself merged into ${canonical.merged_into_id}. Use that one instead.`,
    );
}

async function unmergePost(current: Change, id: string): Promise<PostDetail> {
  const { tx, actor } = current;
  await holdFamilies(current, 'alone');
  await findPost(tx, actor, id);
  const [, canonicalId, ...above] = await holdPath(current, id);
  if (canonicalId === undefined) throw conflict('This post is not merged.');
  const post = await findAndHoldPost(tx, actor, id);
  const canonical = await findPost(tx, actor, canonicalId);
  await markChanged(current, post, { merged_into_id: null });
  await countComments(current, [canonicalId, ...above], -post.comment_count);
  for (const upperId of [canonicalId, ...above]) await uniteVotes(current, upperId);
  await markChanged(current, canonical);
  await current.activity(id, 'unmerged', canonicalId, null);
  await current.activity(canonicalId, 'duplicate_removed', id, null);
  await touchLists(current);
  return requirePost(current, id);
}

/** Marks a post as changed now. */
async function markChanged(
  { tx, actor, now }: Change,
  post: TalkedPost,
  set: { readonly merged_into_id?: string | null } = {},
): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set({ ...set, updated_at: Math.max(now, post.updated_at + 1) })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', post.id)
    .execute();
}

/** A merged post is in no list, so boards and roadmaps show fewer. */
async function touchLists(current: Change): Promise<void> {
  await current.touch('posts');
  await current.touch('boards');
}
