/** The comment of the team that stands above the thread of a post. */
import type { Actor } from '../../actor.ts';
import { RuleBroken } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { PostDetail } from '../../shapes/posts.ts';
import type { NamedCommentRow } from './rows.ts';
import { findComment } from './rows.ts';
import { holdPost, requirePost } from '../posts/access.ts';
import type { Base } from '../write.ts';
import { change } from '../write.ts';

/** Pins a comment of the team, or none. */
export function pinComment(
  base: Base,
  actor: Actor,
  postId: string,
  commentId: string | null,
): Promise<PostDetail> {
  return change(base, actor, async (current) => {
    const post = await holdPost(current, postId);
    if (commentId !== null) requirePinnable(await findComment(current.tx, actor, commentId), postId);
    const before = post.pinned_comment_id;
    if (commentId !== before) {
      await current.tx
        .db<FeedbackTables>()
        .updateTable('feedback_posts')
        .set({ pinned_comment_id: commentId, updated_at: Math.max(current.now, post.updated_at + 1) })
        .where('organization_id', '=', actor.organizationId)
        .where('id', '=', postId)
        .execute();
      const action = commentId === null ? 'comment_unpinned' : 'comment_pinned';
      await current.activity(postId, action, before, commentId);
      await current.touch('posts');
    }
    return requirePost(current, postId);
  });
}

function requirePinnable(comment: NamedCommentRow, postId: string): void {
  if (comment.post_id !== postId) throw new RuleBroken('The comment belongs to another post');
  if (comment.is_team_member === 0) throw new RuleBroken('Only a comment of a team member can be pinned');
  if (comment.is_private === 1) throw new RuleBroken('A private comment cannot be pinned');
}
