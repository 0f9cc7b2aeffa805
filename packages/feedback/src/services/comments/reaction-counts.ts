/** How often comments got which emoji. */
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { ReactionCount } from '../../shapes/posts.ts';
import { EMOJIS } from '../../shapes/posts.ts';

/** The comments whose reactions are counted: one, or all of some posts. */
export type CountedComments = { readonly commentId: string } | { readonly postIds: readonly string[] };

/** The reactions by comment, in the order in which emojis are offered. */
export async function reactionsOf(
  from: Queryable,
  { organizationId, memberId }: Pick<Actor, 'organizationId' | 'memberId'>,
  comments: CountedComments,
): Promise<Map<string, ReactionCount[]>> {
  const base = from
    .db<FeedbackTables>()
    .selectFrom('feedback_reactions as reaction')
    .where('reaction.organization_id', '=', organizationId);
  const narrowed =
    'commentId' in comments
      ? base.where('reaction.comment_id', '=', comments.commentId)
      : base.where('reaction.comment_id', 'in', (query) =>
          query
            .selectFrom('feedback_comments as comment')
            .select('comment.id')
            .where('comment.organization_id', '=', organizationId)
            .where('comment.post_id', 'in', comments.postIds),
        );
  const rows = await narrowed
    .select(({ fn, eb }) => [
      'reaction.comment_id',
      'reaction.emoji',
      fn.countAll<number>().as('count'),
      fn.max(eb.case().when('reaction.member_id', '=', memberId).then(1).else(0).end()).as('is_mine'),
    ])
    .groupBy(['reaction.comment_id', 'reaction.emoji'])
    .execute();
  const found = new Map<string, ReactionCount[]>();
  const order = (emoji: string) => EMOJIS.findIndex((known) => known === emoji);
  for (const row of rows.toSorted((a, b) => order(a.emoji) - order(b.emoji))) {
    const counts = found.get(row.comment_id) ?? [];
    counts.push({ emoji: row.emoji, count: row.count, hasReacted: row.is_mine === 1 });
    found.set(row.comment_id, counts);
  }
  return found;
}
