/** Comments: threads read, said, changed, deleted, reacted to and pinned. */
import type { Actor } from '../../actor.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Comment, CommentNode, CreateComment, PostDetail, ReactionCount } from '../../shapes/posts.ts';
import { checkContent, createComment } from './create.ts';
import { deleteComment, requireOwnOrTeam } from './delete.ts';
import { pinComment } from './pin.ts';
import { reactTo } from './react.ts';
import { findComment, holdComment, toComment, withReactions } from './rows.ts';
import { commentTree } from './tree.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base } from '../write.ts';
import { change } from '../write.ts';

/** What can be done with comments. Private ones exist for the team alone. */
export interface CommentService {
  /** Root comments oldest first, with replies to any depth; those of duplicates are among them. */
  tree(actor: Actor, postId: string): Promise<CommentNode[]>;
  get(actor: Actor, id: string): Promise<Comment>;
  /** A reply to a private comment is private; a reply to a duplicate's comment belongs to the duplicate. */
  create(actor: Actor, postId: string, input: CreateComment): Promise<CommentNode>;
  /** For the author and the team. */
  update(
    actor: Actor,
    id: string,
    input: { readonly content: string },
    check?: CheckCurrent<Comment>,
  ): Promise<Comment>;
  /** For the author and the team; with replies a stub stays. */
  delete(actor: Actor, id: string, check?: CheckCurrent<Comment>): Promise<void>;
  react(actor: Actor, id: string, emoji: string, isOn: boolean): Promise<ReactionCount[]>;
  /** For the team; null takes the pin off. */
  pin(actor: Actor, postId: string, commentId: string | null): Promise<PostDetail>;
}

export function createComments(base: Base): CommentService {
  return {
    tree: async (actor, postId) => commentTree(base.store, actor, checkId('post', postId)),
    async get(actor, id) {
      const row = await findComment(base.store, actor, checkId('comment', id));
      return withReactions(base.store, actor, row);
    },
    create: async (actor, postId, input) => createComment(base, actor, checkId('post', postId), input),
    update: async (actor, id, { content }, check) =>
      updateComment(base, actor, { id: checkId('comment', id), content: checkContent(content), check }),
    delete: async (actor, id, check) => deleteComment(base, actor, checkId('comment', id), check),
    react: async (actor, id, emoji, isOn) => reactTo(base, actor, checkId('comment', id), { emoji, isOn }),
    async pin(actor, postId, commentId) {
      const id = commentId === null ? null : checkId('comment', commentId);
      return pinComment(base, actor, checkId('post', postId), id);
    },
  };
}

interface CommentUpdate {
  readonly id: string;
  readonly content: string;
  readonly check: CheckCurrent<Comment> | undefined;
}

function updateComment(base: Base, actor: Actor, { id, content, check }: CommentUpdate): Promise<Comment> {
  return change(base, actor, async ({ tx, now, touch }) => {
    const row = await holdComment(tx, actor, id);
    requireOwnOrTeam(actor, row);
    const before = await withReactions(tx, actor, row);
    check?.(before);
    await tx
      .db<FeedbackTables>()
      .updateTable('feedback_comments')
      .set({ content, edited_at: now })
      .where('organization_id', '=', actor.organizationId)
      .where('id', '=', id)
      .execute();
    await touch('posts');
    return toComment({ ...row, content, edited_at: now }, before.reactions);
  });
}
