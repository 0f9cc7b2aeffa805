/** What authors change about their own posts while nobody else has dealt with them. */
import { fromJson } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { PatchPost } from '../../shapes/posts.ts';
import { laterThan } from '../hold.ts';
import { holdPost } from './access.ts';
import { requireUntouched } from './untouched.ts';
import { announce, textsOf } from './update.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** The texts of a post; what is absent stays. */
export type PostTexts = Pick<PatchPost, 'title' | 'content'>;

/** Changes an own post. On a moderated board it waits for the team again, so that nobody swaps what was approved. */
export function editOwnPost(
  base: Base,
  actor: Actor,
  id: string,
  { title, content }: PostTexts,
): Promise<{ id: string; isPending: boolean }> {
  return change(base, actor, async (current) => {
    const row = await holdPost(current, id);
    await requireUntouched(current, row, 'change');
    const isModerated = await isModeratedBoard(current, row.board_id);
    const isSame = (title ?? row.title) === row.title && (content ?? row.content) === row.content;
    if (isSame) return { id, isPending: row.moderation === 'pending' };
    const isHeldAgain = isModerated && !isTeam(actor) && row.moderation === 'published';
    await current.tx
      .db<FeedbackTables>()
      .updateTable('feedback_posts')
      .set({
        ...textsOf({ title, content }),
        ...(isHeldAgain && { moderation: 'pending' }),
        updated_at: laterThan(row.updated_at, current.now),
      })
      .where('organization_id', '=', actor.organizationId)
      .where('id', '=', id)
      .execute();
    if (isHeldAgain) {
      await current.activity(id, 'moderation_changed', 'published', 'pending');
      await current.touch('posts');
      await current.touch('boards');
      return { id, isPending: true };
    }
    await announce(current, row, id);
    return { id, isPending: row.moderation === 'pending' };
  });
}

/** Whether the team looks first; a post that went to a board which is not public is gone for its author. */
async function isModeratedBoard({ tx, actor }: Change, boardId: string): Promise<boolean> {
  const board = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('settings')
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', boardId)
    .where('is_public', '=', 1)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (board === undefined) throw notFound('Post');
  return isModerated(board.settings);
}

/** True when the settings of a board say so. */
export function isModerated(settings: string): boolean {
  return fromJson<Record<string, unknown>>(settings)['moderation'] === true;
}
