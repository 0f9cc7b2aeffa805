/** Deleting a board, with its posts when that is asked for. */
import { conflict, notFound } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import { hold } from '../hold.ts';
import type { PostUse } from '../posts/use.ts';
import { countUse, holdUse } from '../posts/use.ts';
import type { Change } from '../write.ts';

/** Deletes a board; one with posts only when they may go too. */
export async function deleteBoard(
  current: Change,
  id: string,
  { cascade, look }: { readonly cascade: boolean; readonly look: (current: Change) => Promise<void> },
): Promise<void> {
  const { tx, now, actor, touch } = current;
  const { organizationId } = actor;
  const use: PostUse = { organizationId, column: 'board_id', id };
  if (cascade) await holdUse(tx, use, 'others');
  await hold(current, 'feedback_boards', id);
  await look(current);
  const { numUpdatedRows } = await tx
    .db<FeedbackTables>()
    .updateTable('feedback_boards')
    .set({ deleted_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound('Board');
  const posts = await countUse(tx, use);
  if (posts > 0 && !cascade) throw conflict(inUse(posts));
  if (posts > 0) await deletePosts(current, id);
  await touch('boards');
}

function inUse(posts: number): string {
  const what = posts === 1 ? '1 post' : `${posts} posts`;
  return `This board has ${what}. Move them to another board first, or delete it with cascade=true.`;
}

async function deletePosts(
  { tx, now, actor, activity, event, touch }: Change,
  boardId: string,
): Promise<void> {
  const gone = await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set({ deleted_at: now })
    .where('organization_id', '=', actor.organizationId)
    .where('board_id', '=', boardId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute();
  const ids = gone.map(({ id }) => id).toSorted();
  for (const id of ids) await activity(id, 'deleted');
  for (const postId of ids) await event('post.deleted', { postId, boardId }, { postId, boardId });
  await touch('posts');
}
