/** New comments and replies. */
import { ToolError, typeId } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { forbidden, notFound, RuleBroken } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { CommentRow, FeedbackTables } from '../../schema.ts';
import type { CommentNode, CreateComment } from '../../shapes/posts.ts';
import { requireRoomBelow } from './depth.ts';
import { loadComment } from './rows.ts';
import { holdOpenPost } from '../posts/access.ts';
import { pathUp } from '../posts/family.ts';
import { subscribe } from '../people/follow.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

const MAX_CONTENT = 5000;

/** Says something about a post; the author is told of what follows. */
export async function createComment(
  base: Base,
  actor: Actor,
  postId: string,
  input: CreateComment,
): Promise<CommentNode> {
  const content = checkContent(input.content);
  const { parentId: replied = null } = input;
  const parentId = replied === null ? null : checkId('comment', replied);
  if (input.isPrivate === true && !isTeam(actor))
    throw forbidden('Only team members may write private comments.');
  return change(base, actor, async (current) => {
    const post = await holdOpenPost(current, postId);
    const place = parentId === null ? rootOf(post.id) : await replyTo(current, post.id, parentId);
    const isPrivate = input.isPrivate === true || place.isPrivate;
    const id = await insert(current, { ...place, content, isPrivate });
    if (!isPrivate) await countComments(current, place.path, 1);
    await subscribe(current, post.id, actor.memberId, 'comment');
    await current.activity(post.id, 'comment_added', null, id);
    const comment = await loadComment(current.tx, actor, id);
    if (comment === null) throw notFound('Comment');
    if (!isPrivate && post.moderation === 'published') {
      const about = { id: post.id, title: post.title, boardId: post.board_id };
      await current.event(
        'comment.created',
        { postId: post.id, boardId: post.board_id },
        { comment, post: about },
      );
    }
    await current.touch('posts');
    return { ...comment, replies: [] };
  });
}

/** The text of a comment without blanks around it; blank or too long is refused. */
export function checkContent(text: string): string {
  const content = text.trim();
  if (content === '' || content.length > MAX_CONTENT)
    throw new ToolError('invalid', `content: must have 1 to ${MAX_CONTENT} characters`);
  // PostgreSQL cannot store it.
  if (content.includes('\0')) throw new ToolError('invalid', 'content: must not hold the character U+0000');
  return content;
}

/** Where a comment goes. */
interface Place {
  readonly parentId: string | null;
  readonly isPrivate: boolean;
  /** The posts whose counts include it: its own first. */
  readonly path: readonly string[];
}

function rootOf(postId: string): Place {
  return { parentId: null, isPrivate: false, path: [postId] };
}

/** A reply belongs to the post of its parent, which may be a duplicate of the one that is shown. */
async function replyTo(current: Change, postId: string, parentId: string): Promise<Place> {
  const { tx, actor } = current;
  const parent = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_comments')
    .select(['post_id', 'is_private'])
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', parentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const isPrivate = parent?.is_private === 1;
  if (parent === undefined || (isPrivate && !isTeam(actor)))
    throw new RuleBroken('Parent comment not found (INVALID_PARENT)');
  const path = parent.post_id === postId ? [postId] : await pathUp(tx, actor, parent.post_id);
  if (path.at(-1) !== postId) throw new RuleBroken('The parent comment belongs to another post');
  await requireRoomBelow(current, parentId);
  return { parentId, isPrivate, path };
}

interface NewComment extends Place {
  readonly content: string;
}

async function insert(
  { tx, now, actor }: Change,
  { path, parentId, content, isPrivate }: NewComment,
): Promise<string> {
  const [postId] = path;
  if (postId === undefined) throw notFound('Post');
  const row: CommentRow = {
    organization_id: actor.organizationId,
    id: typeId('comment', now),
    post_id: postId,
    parent_id: parentId,
    content,
    author_member_id: actor.memberId,
    author_user_id: actor.userId,
    agent_name: actor.agentName,
    is_team_member: isTeam(actor) ? 1 : 0,
    is_private: isPrivate ? 1 : 0,
    created_at: now,
    edited_at: null,
    deleted_at: null,
  };
  await tx.db<FeedbackTables>().insertInto('feedback_comments').values(row).execute();
  return row.id;
}

/** Adds to how many comments posts show: what everybody can see of their own and of their duplicates. */
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
