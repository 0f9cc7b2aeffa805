/** Which posts were written by somebody who is on the team now; pages mark them. */
import type { Queryable } from '@parley/store';
import type { FeedbackTables } from '../../schema.ts';
import { teamOf } from '../people/people-names.ts';

/** The ids of those among the posts. */
export async function teamPostsAmong(
  from: Queryable,
  organizationId: string,
  postIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (postIds.length === 0) return new Set();
  const team = (await teamOf(from, organizationId)).map(({ id }) => id);
  if (team.length === 0) return new Set();
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', postIds)
    .where('author_member_id', 'in', team)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
