/** How many comments posts show: what everybody can see of their own and of their duplicates. */
import type { FeedbackTables } from '../../schema.ts';
import type { Change } from '../write.ts';

/** Adds to the counts of posts. */
export async function countComments(
  { tx, actor }: Change,
  postIds: readonly string[],
  by: number,
): Promise<void> {
  if (by === 0 || postIds.length === 0) return;
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set(({ eb }) => ({ comment_count: eb('comment_count', '+', by) }))
    .where('organization_id', '=', actor.organizationId)
    .where('id', 'in', postIds)
    .execute();
}
