/** Posts that only their author has dealt with: those the author may still change or take back. */
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { forbidden, notFound } from '../../faults.ts';
import type { FeedbackTables, PostRow } from '../../schema.ts';
import type { Change } from '../write.ts';

/** What is looked at. */
type AuthoredPost = Pick<
  PostRow,
  | 'id'
  | 'author_member_id'
  | 'vote_count'
  | 'status_id'
  | 'owner_member_id'
  | 'official_response'
  | 'merged_into_id'
  | 'moderation'
  | 'deleted_at'
>;

/** Somebody else's post looks unknown; an own one must have no votes by others, no comments and no review. */
export async function requireUntouched(
  { tx, actor }: Pick<Change, 'tx' | 'actor'>,
  post: AuthoredPost,
  wish: 'change' | 'delete',
): Promise<void> {
  if (post.author_member_id !== actor.memberId || post.deleted_at !== null) throw notFound('Post');
  if (!(await isUntouched(tx, actor, post)))
    throw forbidden(`Others have already dealt with this post. Ask the team to ${wish} it.`);
}

/** True when nobody but its author has voted, commented or reviewed. */
export async function isUntouched(
  from: Queryable,
  { organizationId, memberId }: Pick<Actor, 'organizationId' | 'memberId'>,
  post: AuthoredPost,
): Promise<boolean> {
  const isRefused = post.moderation === 'spam' || post.moderation === 'archived';
  if (isRefused || post.merged_into_id !== null) return false;
  if (post.official_response !== null || post.owner_member_id !== null) return false;
  const db = from.db<FeedbackTables>();
  const ownVote = await db
    .selectFrom('feedback_votes')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('post_id', '=', post.id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  // The count tells of others, since imported votes have no rows.
  if (post.vote_count > (ownVote === undefined ? 0 : 1)) return false;
  const comment = await db
    .selectFrom('feedback_comments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('post_id', '=', post.id)
    .limit(1)
    .executeTakeFirst();
  const status = await db
    .selectFrom('feedback_statuses')
    .select('is_default')
    .where('organization_id', '=', organizationId)
    .where('id', '=', post.status_id)
    .executeTakeFirst();
  return comment === undefined && status?.is_default === 1;
}
