/** The backend over the services of this process, as one actor. */
import type * as z from 'zod';
import type { Actor } from './actor.ts';
import type { FeedbackBackend } from './backend.ts';
import { RESOURCE_ITEMS } from './resources.ts';
import type { FeedbackServices } from './services/index.ts';
import { MOST_MEMBERS } from './services/people/members.ts';
import type { CommentNode, Page } from './shapes/posts.ts';
import type { ShownPage } from './tools/shapes.ts';
import {
  only,
  ShownActivity,
  ShownComment,
  ShownEntry,
  ShownItem,
  ShownPost,
  ShownThread,
  turnTree,
} from './tools/shapes.ts';
import { excerptOf } from './tools/excerpt.ts';

/** Creates the backend; what leaves it is picked field by field, so that no e-mail address can. */
export function createLocalBackend(services: FeedbackServices, actor: Actor): FeedbackBackend {
  return {
    ...everyday(services, actor),
    ...lists(services, actor),
    ...postWork(services, actor),
    ...commentWork(services, actor),
    ...planWork(services, actor),
  };
}

type Part<Method extends keyof FeedbackBackend> = Pick<FeedbackBackend, Method>;

function everyday(
  { posts, comments, changelog }: FeedbackServices,
  actor: Actor,
): Part<'search' | 'post' | 'triage' | 'addComment' | 'createPost' | 'createEntry'> {
  return {
    async search({ query, ...input }) {
      return pageOf(await posts.list(actor, { ...input, search: query }), (item) => only(ShownItem, item));
    },
    async post(postId) {
      const [post, tree] = await Promise.all([posts.get(actor, postId), comments.tree(actor, postId)]);
      return { ...postOf(post), comments: turnTree(tree, (node) => only(ShownComment, node)) };
    },
    triage: async (postId, change) => postOf(await posts.update(actor, postId, change)),
    async addComment({ postId, ...input }) {
      return threadOf(await comments.create(actor, postId, input));
    },
    createPost: async (input) => postOf(await posts.create(actor, input)),
    createEntry: async (input) => only(ShownEntry, await changelog.create(actor, input)),
  };
}

function lists(
  services: FeedbackServices,
  actor: Actor,
): Part<'boards' | 'statuses' | 'tags' | 'roadmaps' | 'members'> {
  const show = (shape: z.ZodObject, items: readonly object[]) => items.map((item) => only(shape, item));
  return {
    boards: async () => show(RESOURCE_ITEMS.boards, await services.boards.list(actor)),
    statuses: async () => show(RESOURCE_ITEMS.statuses, await services.statuses.list(actor)),
    tags: async () => show(RESOURCE_ITEMS.tags, await services.tags.list(actor)),
    roadmaps: async () => show(RESOURCE_ITEMS.roadmaps, await services.roadmaps.list(actor)),
    async members() {
      const { items } = await services.members.list(actor, { limit: MOST_MEMBERS });
      return show(RESOURCE_ITEMS.members, items);
    },
  };
}

function postWork(
  { posts, changelog, activity, votes, merges }: FeedbackServices,
  actor: Actor,
): Part<
  | 'findPosts'
  | 'findEntries'
  | 'activity'
  | 'vote'
  | 'proxyVote'
  | 'updatePost'
  | 'merge'
  | 'unmerge'
  | 'deletePost'
  | 'restorePost'
> {
  return {
    async findPosts({ query, ...input }) {
      const page = await posts.list(actor, { ...input, search: query });
      return pageOf(page, (item) => excerptOf(only(ShownItem, item)));
    },
    async findEntries(page) {
      return pageOf(await changelog.list(actor, page), (entry) => excerptOf(only(ShownEntry, entry)));
    },
    async activity(postId, page) {
      return pageOf(await activity.list(actor, postId, page), (line) => only(ShownActivity, line));
    },
    vote: (postId, isVoted) => votes.set(actor, postId, isVoted),
    proxyVote: ({ postId, memberId, isVoted, source }) =>
      votes.proxy(actor, postId, { memberId, voted: isVoted, source }),
    updatePost: async (postId, change) => postOf(await posts.update(actor, postId, change)),
    merge: async (duplicatePostId, canonicalPostId) =>
      postOf(await merges.merge(actor, { duplicatePostId, canonicalPostId })),
    unmerge: async (postId) => postOf(await merges.unmerge(actor, postId)),
    async deletePost(postId) {
      await posts.delete(actor, postId);
      return { id: postId, isDeleted: true };
    },
    restorePost: async (postId) => postOf(await posts.restore(actor, postId)),
  };
}

function commentWork(
  { comments }: FeedbackServices,
  actor: Actor,
): Part<'updateComment' | 'deleteComment' | 'react' | 'pin'> {
  return {
    async updateComment(commentId, content) {
      return only(ShownComment, await comments.update(actor, commentId, { content }));
    },
    async deleteComment(commentId) {
      await comments.delete(actor, commentId);
      return { id: commentId, isDeleted: true };
    },
    react: async (commentId, emoji, isOn) => ({
      reactions: await comments.react(actor, commentId, emoji, isOn),
    }),
    pin: async (postId, commentId) => postOf(await comments.pin(actor, postId, commentId)),
  };
}

function planWork(
  { roadmaps, changelog }: FeedbackServices,
  actor: Actor,
): Part<'placeOnRoadmap' | 'updateEntry' | 'deleteEntry'> {
  return {
    async placeOnRoadmap(input) {
      const { roadmapId, postId } = input;
      const placed = { roadmapId, postId, isOnRoadmap: true };
      if (input.action === 'add')
        return { ...placed, position: (await roadmaps.addPost(actor, roadmapId, postId)).position };
      if (input.action === 'move') {
        const { position } = await roadmaps.movePost(actor, roadmapId, postId, input.position);
        return { ...placed, position };
      }
      await roadmaps.removePost(actor, roadmapId, postId);
      return { roadmapId, postId, isOnRoadmap: false, position: null };
    },
    updateEntry: async (changelogId, change) =>
      only(ShownEntry, await changelog.update(actor, changelogId, change)),
    async deleteEntry(changelogId) {
      await changelog.delete(actor, changelogId);
      return { id: changelogId, isDeleted: true };
    },
  };
}

function postOf(post: object): ShownPost {
  const shown = only(ShownPost, post);
  return { ...shown, pinnedComment: shown.pinnedComment && only(ShownComment, shown.pinnedComment) };
}

function threadOf(node: CommentNode): ShownThread {
  return { ...only(ShownThread, node), replies: turnTree(node.replies, (each) => only(ShownComment, each)) };
}

function pageOf<Item, Shown>(page: Page<Item>, show: (item: Item) => Shown): ShownPage<Shown> {
  const { items, cursor, hasMore, total } = page;
  return { items: items.map(show), nextCursor: cursor, hasMore, total };
}
