/** Routes of posts: listed, read, made, changed, deleted, restored, merged. */
import { created, flag, idList, nothing, one, page, pageFields } from '@parley/http/rest';
import * as z from 'zod';
import { ids } from '../../shapes/fields.ts';
import { Activity, CreatePost, PatchPost, POST_SORTS, PostDetail, PostItem } from '../../shapes/posts.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

/** What a list of posts can be narrowed to, as the query says it. */
export const postFilterFields = {
  boardId: ids.board.optional(),
  status: z.string().optional().describe('Slug of a status, e.g. in_progress'),
  tagIds: idList('IDs of tags with commas between them; posts with any of them'),
  search: z.string().optional().describe('Words that must all match, "phrases", OR, -without'),
  dateFrom: z.string().optional().describe('Made at or after this date or time, e.g. 2026-07-28'),
  dateTo: z.string().optional().describe('Made at or before it; a date alone means the end of that UTC day'),
  ownerMemberId: ids.member.optional(),
  showDeleted: flag('With deleted posts; for administrators'),
};

const postQuery = z.strictObject({
  ...postFilterFields,
  sort: z.enum(POST_SORTS).optional().describe('newest when absent'),
  ...pageFields,
});

const EDITED = ['title', 'content', 'contentJson', 'boardId'] as const;
const TRIAGED = ['statusId', 'tagIds', 'ownerMemberId', 'officialResponse'] as const;

/** Editing and triage are two grants; a body may need both. */
function patchGrants(body: PatchPost): string[] {
  const isEdit = EDITED.some((field) => body[field] !== undefined);
  const isTriage = !isEdit || TRIAGED.some((field) => body[field] !== undefined);
  return [...(isTriage ? ['triage_post'] : []), ...(isEdit ? ['update_post'] : [])];
}

export const postRoutes = [
  defineRoute({
    method: 'GET',
    path: '/posts',
    summary: 'List posts',
    who: whoFor(WHO_MAY.posts.list),
    grants: ['search_feedback'],
    query: postQuery,
    answer: page('PostItem', PostItem),
    run: ({ services, actor, query }) => services.posts.list(actor, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts',
    summary: 'Make a post',
    who: whoFor(WHO_MAY.posts.create),
    grants: ['create_post'],
    body: CreatePost.strict(),
    answer: created('Post', PostDetail, ({ id }) => `/posts/${id}`),
    run: ({ services, actor, body }) => services.posts.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/posts/:id',
    summary: 'Read a post',
    who: whoFor(WHO_MAY.posts.get),
    grants: ['get_post'],
    answer: one('Post', PostDetail),
    run: ({ services, actor, params }) => services.posts.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/posts/:id',
    summary: 'Change a post; what is absent stays',
    who: whoFor(WHO_MAY.posts.update),
    grants: ['triage_post', 'update_post'],
    grantsOf: patchGrants,
    body: PatchPost.strict(),
    answer: one('Post', PostDetail),
    run: ({ services, actor, params, body, check }) => services.posts.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/posts/:id',
    summary: 'Delete a post; it can be restored for 30 days',
    who: whoFor(WHO_MAY.posts.delete),
    grants: ['delete_post'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.posts.delete(actor, params.id, check),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts/:id/restore',
    summary: 'Bring a deleted post back',
    who: whoFor(WHO_MAY.posts.restore),
    grants: ['restore_post'],
    answer: one('Post', PostDetail),
    run: ({ services, actor, params }) => services.posts.restore(actor, params.id),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts/:id/merge',
    summary: 'Merge this post into another; answers the other one',
    who: whoFor(WHO_MAY.merges.merge),
    grants: ['merge_post'],
    body: z.strictObject({ canonicalPostId: ids.post }),
    answer: one('Post', PostDetail),
    run: ({ services, actor, params, body }) =>
      services.merges.merge(actor, { duplicatePostId: params.id, canonicalPostId: body.canonicalPostId }),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts/:id/unmerge',
    summary: 'Undo a merge of this post',
    who: whoFor(WHO_MAY.merges.unmerge),
    grants: ['unmerge_post'],
    answer: one('Post', PostDetail),
    run: ({ services, actor, params }) => services.merges.unmerge(actor, params.id),
  }),
  defineRoute({
    method: 'GET',
    path: '/posts/:id/activity',
    summary: 'What happened to a post, newest first',
    who: whoFor(WHO_MAY.activity.list),
    grants: ['get_post_activity'],
    query: z.strictObject(pageFields),
    answer: page('Activity', Activity),
    run: ({ services, actor, params, query }) => services.activity.list(actor, params.id, query),
  }),
];
