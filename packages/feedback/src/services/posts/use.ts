/** Which posts stand in the way of deleting what they refer to. */
import type { StoreTransaction } from '@parley/store';
import type { FeedbackTables } from '../../schema.ts';

/** What posts refer to. */
export interface PostUse {
  readonly organizationId: string;
  readonly column: 'board_id' | 'status_id';
  readonly id: string;
}

/** How many posts that are not deleted refer to it. */
export async function countUse(
  tx: StoreTransaction,
  { organizationId, column, id }: PostUse,
): Promise<number> {
  const { posts } = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_post_counts')
    .select(({ fn }) => fn.sum<number | null>('posts').as('posts'))
    .where('organization_id', '=', organizationId)
    .where(column, '=', id)
    .where('state', '<>', 'deleted')
    .executeTakeFirstOrThrow();
  return posts ?? 0;
}

/**
 * Holds the posts that refer to it. Comes before holding the thing itself: changes of posts hold theirs first too, and
 * so no two changes wait for each other.
 */
export async function holdUse(
  tx: StoreTransaction,
  { organizationId, column, id }: PostUse,
  which: 'deleted' | 'others',
): Promise<void> {
  const posts = tx
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(column, '=', id)
    .where('deleted_at', which === 'deleted' ? 'is not' : 'is', null)
    .orderBy('id');
  await tx.hold(posts);
}
