/** Tools that change posts beyond triage: votes, texts, merging, deleting. */
import * as z from 'zod';
import { WHO_MAY } from '../services/who-may.ts';
import { ids } from '../shapes/fields.ts';
import { CreatePost } from '../shapes/posts.ts';
import { Deleted, defineTool, ShownPost, ShownVote } from './shapes.ts';
import { availableFor } from '../team-surface.ts';

/** Sets one's own vote. */
export const votePost = defineTool({
  name: 'vote_post',
  title: 'Vote for a post',
  description: 'Sets or takes back your vote. Saying the same twice changes nothing.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.votes.set),
  input: z.object({ postId: ids.post, voted: z.boolean().describe('True: votes; false: takes it back') }),
  output: ShownVote,
  run: ({ postId, voted }, _ctx, backend) => backend.vote(postId, voted),
});

/** Votes for somebody else. */
export const proxyVote = defineTool({
  name: 'proxy_vote',
  title: 'Vote on behalf of somebody',
  description: 'Adds or removes the vote of a member who asked for it elsewhere.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.votes.proxy),
  input: z.object({
    postId: ids.post,
    memberId: ids.member,
    action: z.enum(['add', 'remove']).describe('add or remove'),
    source: z.string().trim().min(1).max(50).optional().describe('Where they asked, e.g. "support call"'),
  }),
  output: ShownVote,
  async run({ action, ...input }, _ctx, backend) {
    return backend.proxyVote({ ...input, isVoted: action === 'add' });
  },
});

/** Rewords or moves a post. */
export const updatePost = defineTool({
  name: 'update_post',
  title: 'Update a post',
  description: 'Changes the title, text or board of a post. What is not given stays as it is.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.posts.update),
  input: z.object({
    postId: ids.post,
    title: CreatePost.shape.title.optional(),
    content: CreatePost.shape.content,
    boardId: ids.board.optional(),
  }),
  output: ShownPost,
  async run({ postId, ...change }, ctx, backend) {
    if (Object.values(change).every((value) => value === undefined))
      throw ctx.error('invalid', 'Nothing to change: give at least one of title, content and boardId.');
    return backend.updatePost(postId, change);
  },
});

/** Unites two posts. */
export const mergePost = defineTool({
  name: 'merge_post',
  title: 'Merge a duplicate',
  description:
    'Unites a duplicate with the post that stays: votes count once per person, comments are shown there. unmerge_post undoes it. Answers the post that stays.',
  effect: 'update',
  hints: { idempotentHint: false },
  privileged: 'by-name',
  available: availableFor(WHO_MAY.merges.merge),
  input: z.object({
    duplicatePostId: ids.post.describe('The post that goes, e.g. post_01h455vb4pex5vsknk084sn02q'),
    canonicalPostId: ids.post.describe('The post that stays'),
  }),
  output: ShownPost,
  async run({ duplicatePostId, canonicalPostId }, _ctx, backend) {
    return backend.merge(duplicatePostId, canonicalPostId);
  },
});

/** Takes a merge back. */
export const unmergePost = defineTool({
  name: 'unmerge_post',
  title: 'Unmerge a post',
  description: 'Takes a merge back: the duplicate has its own votes and comments again.',
  effect: 'update',
  hints: { idempotentHint: false },
  privileged: 'by-name',
  available: availableFor(WHO_MAY.merges.unmerge),
  input: z.object({ postId: ids.post }),
  output: ShownPost,
  run: ({ postId }, _ctx, backend) => backend.unmerge(postId),
});

/** Takes a post away. */
export const deletePost = defineTool({
  name: 'delete_post',
  title: 'Delete a post',
  description: 'Deletes a post. It can be restored within 30 days.',
  effect: 'delete',
  privileged: 'by-name',
  unattended: 'block',
  available: availableFor(WHO_MAY.posts.delete),
  input: z.object({ postId: ids.post }),
  output: Deleted,
  run: ({ postId }, _ctx, backend) => backend.deletePost(postId),
});

/** Brings a deleted post back. */
export const restorePost = defineTool({
  name: 'restore_post',
  title: 'Restore a post',
  description: 'Brings back a post that was deleted within the last 30 days.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.posts.restore),
  input: z.object({ postId: ids.post }),
  output: ShownPost,
  run: ({ postId }, _ctx, backend) => backend.restorePost(postId),
});
