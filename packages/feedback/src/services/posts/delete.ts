/** Deleting posts, and bringing them back within 30 days. */
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { conflict, notFound } from '../../faults.ts';
import type { FeedbackTables, PostRow } from '../../schema.ts';
import type { PostDetail } from '../../shapes/posts.ts';
import { holdPost, requirePost } from './access.ts';
import type { CheckCurrent } from './posts.ts';
import { requireUntouched } from './untouched.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

const RESTORE_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes a post; a visitor only an own one that nobody has dealt with. */
export function deletePost(
  base: Base,
  actor: Actor,
  id: string,
  check?: CheckCurrent<PostDetail>,
): Promise<void> {
  return change(base, actor, async (current) => {
    const row = await holdPost(current, id);
    if (!isTeam(actor)) await requireUntouched(current, row, 'delete');
    if (row.deleted_at !== null) throw notFound('Post');
    check?.(await requirePost(current, id));
    await setDeleted(current, id, current.now);
    await current.activity(id, 'deleted');
    const about = { postId: id, boardId: row.board_id };
    if (await wasPublished(current, row)) await current.event('post.deleted', about, about);
    await current.touch('posts');
    await current.touch('boards');
  });
}

/** Brings a deleted post back. */
export function restorePost(base: Base, actor: Actor, id: string): Promise<PostDetail> {
  return change(base, actor, async (current) => {
    const row = await holdPost(current, id);
    if (row.deleted_at === null) throw conflict('This post is not deleted.');
    if (current.now - row.deleted_at > RESTORE_DAYS * DAY_MS)
      throw conflict(`A post can be restored within ${RESTORE_DAYS} days only.`);
    await requireLiveBoard(current, row.board_id);
    await setDeleted(current, id, null);
    await current.activity(id, 'restored');
    await current.touch('posts');
    await current.touch('boards');
    return requirePost(current, id);
  });
}

async function requireLiveBoard({ tx, actor }: Change, boardId: string): Promise<void> {
  const board = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('deleted_at')
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', boardId)
    .executeTakeFirst();
  if (board?.deleted_at !== null) throw conflict('The board of this post is deleted.');
}

async function setDeleted({ tx, actor }: Change, id: string, deletedAt: number | null): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set({ deleted_at: deletedAt })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', id)
    .execute();
}

/** True when the world has heard of a post: it is published now or was so before, as its activity remembers. */
export async function wasPublished(
  { tx, actor }: Pick<Change, 'tx' | 'actor'>,
  { id, moderation }: Pick<PostRow, 'id' | 'moderation'>,
): Promise<boolean> {
  if (moderation === 'published') return true;
  const row = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_activity')
    .select('id')
    .where('organization_id', '=', actor.organizationId)
    .where('post_id', '=', id)
    .where('action', '=', 'moderation_changed')
    .where((eb) => eb.or([eb('from_value', '=', 'published'), eb('to_value', '=', 'published')]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
