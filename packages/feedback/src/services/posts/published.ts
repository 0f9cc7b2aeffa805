/** Whether the world has heard of a post: events tell only of posts that everybody could see. */
import type { FeedbackTables, PostRow } from '../../schema.ts';
import type { Change } from '../write.ts';

/** True when the post is published now or was so before; its activity remembers every change. */
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
