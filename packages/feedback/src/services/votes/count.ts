/** The number of votes of a post, and what happens when it first reaches a round number. */
import type { FeedbackTables } from '../../schema.ts';
import type { TalkedPost } from '../posts/access.ts';
import { withoutEmail } from '../posts/create.ts';
import { requirePost } from '../posts/changes.ts';
import type { Change } from '../write.ts';

const THRESHOLDS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** The highest threshold that a number of votes has reached; 0 below the first. */
export function reachedThreshold(voteCount: number): number {
  return THRESHOLDS.findLast((threshold) => threshold <= voteCount) ?? 0;
}

/** Writes the count of a post that is held; the first time at a threshold is announced. */
export async function setVoteCount(
  current: Change,
  post: Pick<TalkedPost, 'id' | 'board_id' | 'vote_threshold' | 'moderation'>,
  voteCount: number,
): Promise<void> {
  const { tx, actor } = current;
  const reached = reachedThreshold(voteCount);
  const isNew = post.moderation === 'published' && reached > post.vote_threshold;
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set({ vote_count: voteCount, ...(isNew && { vote_threshold: reached }) })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', post.id)
    .execute();
  if (!isNew) return;
  const data = { post: withoutEmail(await requirePost(current, post.id)), threshold: reached, voteCount };
  await current.event('post.vote_threshold', { postId: post.id, boardId: post.board_id }, data);
}
