/** The everyday tools for posts: search, read, triage, make. */
import * as z from 'zod';
import { WHO_MAY } from '../services/who-may.ts';
import { ids } from '../shapes/fields.ts';
import { CreatePost, POST_SORTS } from '../shapes/posts.ts';
import { searchedOf } from './excerpt.ts';
import { defineTool, pageFields, ShownFound, ShownPost, ShownPostPage } from './shapes.ts';
import { pageOfThread } from './thread-page.ts';
import { availableFor } from '../team-surface.ts';

const EXAMPLE_TAGS = 'by id or name, e.g. ["bug"]';

/** What every search can be narrowed to. */
export const searchFields = {
  query: z.string().max(1000).optional().describe('Words that all must occur; "phrase", OR and -word work'),
  boardId: ids.board.optional(),
  status: z.string().max(100).optional().describe('Slug or name of a status, e.g. under_review'),
  tagIds: z.array(ids.tag).max(100).optional().describe(`Posts with any of these tags, ${EXAMPLE_TAGS}`),
  sort: z.enum(POST_SORTS).default('newest').describe('Order'),
  limit: z.int().min(1).max(100).default(20).describe('How many'),
  cursor: z.string().max(1000).optional().describe('nextCursor of the page before'),
};

/** Finds posts. */
export const searchFeedback = defineTool({
  name: 'search_feedback',
  title: 'Search feedback',
  description:
    'Finds posts by words, board, status and tags, with the beginning of each text. get_post has all of it.',
  effect: 'read',
  available: availableFor(WHO_MAY.posts.list),
  input: z.object({
    ...searchFields,
    fullText: z.boolean().optional().describe('True: whole texts instead of excerpts'),
  }),
  output: z.object({ posts: z.array(ShownFound), ...pageFields }),
  async run({ fullText = false, ...input }, _ctx, backend) {
    const { items, ...page } = await backend.search(input);
    return { posts: searchedOf(items, fullText), ...page };
  },
});

export const getPost = defineTool({
  name: 'get_post',
  title: 'Get a post',
  description: 'Reads one post with its votes, tags and official response, and its comments page by page.',
  effect: 'read',
  available: availableFor(WHO_MAY.posts.get),
  input: z.object({
    postId: ids.post,
    limit: z.int().min(1).max(100).default(50).describe('How many comments'),
    cursor: z.string().max(1000).optional().describe('nextCursor of the page before'),
  }),
  output: ShownPostPage,
  async run({ postId, ...page }, _ctx, backend) {
    const { comments, ...post } = await backend.post(postId);
    return { ...post, ...pageOfThread(comments ?? [], { postId, ...page }) };
  },
});

/** Sets status, tags, owner and official response. */
export const triagePost = defineTool({
  name: 'triage_post',
  title: 'Triage a post',
  description:
    'Sets the status, tags, owner or official response of a post, all at once or none. What is not given stays as it is.',
  effect: 'update',
  available: availableFor(WHO_MAY.posts.update),
  input: z.object({
    postId: ids.post,
    statusId: ids.status.optional(),
    tagIds: z
      .array(ids.tag)
      .max(100)
      .optional()
      .describe(`Replaces all tags, ${EXAMPLE_TAGS}; [] clears them`),
    ownerMemberId: ids.member
      .nullable()
      .optional()
      .describe('Who is in charge: id, e-mail or name; null: nobody'),
    officialResponse: z
      .string()
      .trim()
      .max(10_000)
      .nullable()
      .optional()
      .describe('What the team says about it; null clears it'),
  }),
  output: ShownPost,
  async run({ postId, ...change }, ctx, backend) {
    if (Object.values(change).every((value) => value === undefined))
      throw ctx.error(
        'invalid',
        'Nothing to change: give at least one of statusId, tagIds, ownerMemberId and officialResponse.',
      );
    return backend.triage(postId, change);
  },
});

export const createPost = defineTool({
  name: 'create_post',
  title: 'Create a post',
  description: 'Makes a post on a board. Search first, so that the same idea is not posted twice.',
  effect: 'create',
  available: availableFor(WHO_MAY.posts.create),
  input: CreatePost.pick({ boardId: true, title: true, content: true, statusId: true }).extend({
    tagIds: z.array(ids.tag).max(100).optional().describe(`IDs of its tags, ${EXAMPLE_TAGS}`),
  }),
  output: ShownPost,
  run: (input, _ctx, backend) => backend.createPost(input),
});
