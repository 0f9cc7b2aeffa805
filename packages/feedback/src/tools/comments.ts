/** Tools for comments. */
import * as z from 'zod';
import { WHO_MAY } from '../services/who-may.ts';
import { ids } from '../shapes/fields.ts';
import { CreateComment, EMOJIS } from '../shapes/posts.ts';
import { Deleted, defineTool, ShownComment, ShownPost, ShownReactions, ShownThread } from './shapes.ts';
import { availableFor } from '../team-surface.ts';

const { content } = CreateComment.shape;

/** Says something about a post. */
export const addComment = defineTool({
  name: 'add_comment',
  title: 'Add a comment',
  description:
    'Adds a comment to a post, or a reply to a comment. Everybody who sees the post sees it, unless isPrivate is true.',
  effect: 'create',
  available: availableFor(WHO_MAY.comments.create),
  input: z.object({
    postId: ids.post,
    content,
    parentId: ids.comment
      .optional()
      .describe('The comment to reply to, e.g. comment_01h455vb4pex5vsknk084sn02q'),
    isPrivate: z.boolean().optional().describe('True: only the team sees it'),
  }),
  output: ShownThread,
  run: (input, _ctx, backend) => backend.addComment(input),
});

/** Rewords a comment. */
export const updateComment = defineTool({
  name: 'update_comment',
  title: 'Update a comment',
  description: 'Replaces the text of a comment; it is shown as edited.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.comments.update),
  input: z.object({ commentId: ids.comment, content }),
  output: ShownComment,
  async run(input, _ctx, backend) {
    return backend.updateComment(input.commentId, input.content);
  },
});

/** Takes a comment away. */
export const deleteComment = defineTool({
  name: 'delete_comment',
  title: 'Delete a comment',
  description: 'Deletes a comment. One that has replies stays as a stub, so that the thread stays whole.',
  effect: 'delete',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.comments.delete),
  input: z.object({ commentId: ids.comment }),
  output: Deleted,
  run: ({ commentId }, _ctx, backend) => backend.deleteComment(commentId),
});

/** Puts an emoji on a comment or takes it off. */
export const reactToComment = defineTool({
  name: 'react_to_comment',
  title: 'React to a comment',
  description: 'Adds your reaction to a comment, or removes it.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.comments.react),
  input: z.object({
    commentId: ids.comment,
    emoji: z.enum(EMOJIS).describe('One of 👍 ❤️ 🎉 😄 🤔 👀'),
    action: z.enum(['add', 'remove']).describe('add or remove'),
  }),
  output: ShownReactions,
  async run({ commentId, emoji, action }, _ctx, backend) {
    return backend.react(commentId, emoji, action === 'add');
  },
});

/** Pins a comment of the team to its post. */
export const pinComment = defineTool({
  name: 'pin_comment',
  title: 'Pin a comment',
  description: 'Shows a comment of the team first on its post; null takes the pin away.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.comments.pin),
  input: z.object({
    postId: ids.post,
    commentId: ids.comment.nullable().describe('The comment to pin; null unpins'),
  }),
  output: ShownPost,
  run: ({ postId, commentId }, _ctx, backend) => backend.pin(postId, commentId),
});
