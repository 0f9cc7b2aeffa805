/** Deleting a status that no post needs. */
import { conflict, notFound } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import { hold, holdOrganization } from '../hold.ts';
import type { PostUse } from '../posts/use.ts';
import { countUse, holdUse } from '../posts/use.ts';
import type { Change } from '../write.ts';

/** Deletes a status; deleted posts that had it get the default one, for the case that they come back. */
export async function deleteStatus(
  current: Change,
  id: string,
  look: (current: Change) => Promise<void>,
): Promise<void> {
  const { tx, actor, touch } = current;
  const { organizationId } = actor;
  const db = tx.db<FeedbackTables>();
  const use: PostUse = { organizationId, column: 'status_id', id };
  await holdUse(tx, use, 'deleted');
  await holdOrganization(current);
  await hold(current, 'feedback_statuses', id);
  await look(current);
  const statuses = await db
    .selectFrom('feedback_statuses')
    .select(['id', 'is_default'])
    .where('organization_id', '=', organizationId)
    .execute();
  const status = statuses.find((row) => row.id === id);
  if (status === undefined) throw notFound('Status');
  const fallback = statuses.find((row) => row.is_default === 1);
  if (fallback === undefined || status.is_default === 1)
    throw conflict('This is the default status. Make another status the default first.');
  const posts = await countUse(tx, use);
  if (posts > 0) throw conflict(inUse(posts));
  await db
    .updateTable('feedback_posts')
    .set({ status_id: fallback.id })
    .where('organization_id', '=', organizationId)
    .where('status_id', '=', id)
    .where('state', '=', 'deleted')
    .execute();
  await db
    .deleteFrom('feedback_statuses')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  await touch('statuses');
}

function inUse(posts: number): string {
  const what = posts === 1 ? '1 post has' : `${posts} posts have`;
  return `${what} this status. Give them another status first.`;
}
