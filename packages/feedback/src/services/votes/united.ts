/**
 * The votes of duplicates with their canonical post: each member once, and traceable to where the vote came from.
 * Imported votes are added up, since nobody can tell who gave them.
 */
import type { FeedbackTables } from '../../schema.ts';
import { duplicatesOf } from '../posts/family.ts';
import { setVoteCount } from './votes.ts';
import type { Change } from '../write.ts';

/** Works out the votes of a post anew: its own, and one of every other member who voted for a duplicate. */
export async function uniteVotes(current: Change, postId: string): Promise<void> {
  const { tx, actor } = current;
  const { organizationId } = actor;
  const db = tx.db<FeedbackTables>();
  await db
    .deleteFrom('feedback_votes')
    .where('organization_id', '=', organizationId)
    .where('post_id', '=', postId)
    .where('via_post_id', '<>', '')
    .execute();
  await db
    .insertInto('feedback_votes')
    .columns([
      'organization_id',
      'id',
      'post_id',
      'member_id',
      'via_post_id',
      'source',
      'proxy_member_id',
      'created_at',
    ])
    .expression((query) =>
      query
        .selectFrom('feedback_votes as vote')
        .innerJoin('feedback_posts as duplicate', (join) =>
          join
            .onRef('duplicate.organization_id', '=', 'vote.organization_id')
            .onRef('duplicate.id', '=', 'vote.post_id'),
        )
        .select(({ val }) => [
          'vote.organization_id',
          'vote.id',
          val(postId).as('post_id'),
          'vote.member_id',
          'vote.post_id as via_post_id',
          'vote.source',
          'vote.proxy_member_id',
          'vote.created_at',
        ])
        .where('duplicate.organization_id', '=', organizationId)
        .where('duplicate.merged_into_id', '=', postId)
        // Of somebody who voted for several duplicates the oldest vote counts.
        .orderBy('vote.created_at')
        .orderBy('vote.id'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const post = await db
    .selectFrom('feedback_posts as post')
    .select(['post.id', 'post.board_id', 'post.vote_threshold', 'post.moderation'])
    .select((query) =>
      query
        .selectFrom('feedback_votes as vote')
        .select(({ fn }) => fn.countAll<number>().as('votes'))
        .whereRef('vote.organization_id', '=', 'post.organization_id')
        .whereRef('vote.post_id', '=', 'post.id')
        .as('votes'),
    )
    .where('post.organization_id', '=', organizationId)
    .where('post.id', '=', postId)
    .executeTakeFirstOrThrow();
  const imported = await db
    .selectFrom('feedback_posts')
    .select(({ fn }) => fn.sum<number>('imported_votes').as('votes'))
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [postId, ...(await duplicatesOf(tx, actor, postId))])
    .executeTakeFirstOrThrow();
  await setVoteCount(current, post, (post.votes ?? 0) + imported.votes);
}
