/** Tools that look further than the everyday search. */
import * as z from 'zod';
import { WHO_MAY } from '../services/who-may.ts';
import { ids } from '../shapes/fields.ts';
import { searchFields } from './posts.ts';
import { defineTool, pageFields, ShownActivity, ShownExcerpt } from './shapes.ts';
import { availableFor } from '../team-surface.ts';

const day = z.string().max(40).optional();

const FOR_POSTS = [
  'query',
  'boardId',
  'status',
  'tagIds',
  'dateFrom',
  'dateTo',
  'ownerMemberId',
  'showDeleted',
] as const;

/** Finds posts by more than words, or lists the changelog. */
export const findFeedback = defineTool({
  name: 'find_feedback',
  title: 'Find feedback',
  description:
    'Finds posts by words, board, status, tags, dates and owner, or lists changelog entries. Answers excerpts of 200 characters.',
  effect: 'read',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.posts.list),
  input: z.object({
    entity: z.enum(['posts', 'changelogs']).default('posts').describe('What to look for'),
    ...searchFields,
    dateFrom: day.describe('Made at or after this date or time, e.g. 2026-01-31'),
    dateTo: day.describe('Made at or before it; a date is the whole day in UTC'),
    ownerMemberId: ids.member.optional(),
    showDeleted: z.boolean().optional().describe('True: deleted posts instead; needs an administrator'),
  }),
  output: z.object({ items: z.array(ShownExcerpt), ...pageFields }),
  async run({ entity, ...input }, ctx, backend) {
    if (entity === 'posts') return backend.findPosts(input);
    const idle = FOR_POSTS.find((field) => input[field] !== undefined);
    if (idle !== undefined) throw ctx.error('invalid', `${idle}: works with entity "posts" only`);
    if (input.sort !== 'newest')
      throw ctx.error('invalid', 'sort: changelog entries come newest first (got another sort)');
    return backend.findEntries({ limit: input.limit, cursor: input.cursor });
  },
});

/** Tells what happened to a post. */
export const getPostActivity = defineTool({
  name: 'get_post_activity',
  title: 'Get the activity of a post',
  description: 'Lists who did what on a post, newest first.',
  effect: 'read',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.activity.list),
  input: z.object({ postId: ids.post, limit: searchFields.limit, cursor: searchFields.cursor }),
  output: z.object({ items: z.array(ShownActivity), ...pageFields }),
  run: ({ postId, ...page }, _ctx, backend) => backend.activity(postId, page),
});
