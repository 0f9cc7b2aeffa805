/** Routes of the team's inbox: its posts, moderation, counts, triage of many posts, similar posts, live changes. */
import { eventStream, limitUpTo, one, page, pageFields, whole, toRefusal } from '@parley/http/rest';
import * as z from 'zod';
import {
  BulkTriage,
  HELD_STATES,
  INBOX_VIEWS,
  InboxCounts,
  InboxPost,
  ReadBefore,
  ReadMark,
  TriageOutcome,
} from '../../shapes/inbox.ts';
import { ids, time } from '../../shapes/fields.ts';
import { MODERATION_STATES, POST_SORTS, PostDetail, PostItem } from '../../shapes/posts.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';
import { postFilterFields } from './posts.ts';

const moderationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/moderation',
    summary: 'Posts that are held back, newest first',
    who: whoFor(WHO_MAY.moderation.queue),
    grants: ['triage_post'],
    query: z.strictObject({
      state: z.enum(HELD_STATES).optional().describe('pending when absent'),
      boardId: ids.board.optional(),
      ...pageFields,
    }),
    answer: page('PostItem', PostItem),
    run: ({ services, actor, query }) => services.moderation.queue(actor, query),
  }),
  defineRoute({
    method: 'PUT',
    path: '/posts/:id/moderation',
    summary: 'Publish a post or hold it back',
    who: whoFor(WHO_MAY.moderation.set),
    grants: ['triage_post'],
    body: z.strictObject({ state: z.enum(MODERATION_STATES) }),
    answer: one('Post', PostDetail),
    run: ({ services, actor, params, body }) => services.moderation.set(actor, params.id, body.state),
  }),
];

const triageRoutes = [
  defineRoute({
    method: 'GET',
    path: '/inbox/counts',
    summary: 'How many posts fit, per status, board, tag and owner',
    who: whoFor(WHO_MAY.inbox.counts),
    grants: ['search_feedback'],
    query: z.strictObject(postFilterFields),
    answer: one('InboxCounts', InboxCounts),
    run: ({ services, actor, query }) => services.inbox.counts(actor, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts/bulk-triage',
    summary: 'The same change for up to 100 posts; each says whether it was changed',
    who: whoFor(WHO_MAY.inbox.bulkTriage),
    grants: ['triage_post'],
    grantsOf: ({ boardId }) => (boardId === undefined ? [] : ['update_post']),
    body: BulkTriage.strict(),
    answer: whole('TriageOutcome', TriageOutcome),
    async run({ services, actor, body: { ids: postIds, ...change } }) {
      const results = await services.inbox.bulkTriage(actor, postIds, change);
      return results.map(({ id, ok, error }) => {
        const { code, message } = toRefusal(error) ?? {};
        return { id, ok, ...(code !== undefined && message !== undefined && { error: { code, message } }) };
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/posts/similar',
    summary: 'Posts that share the telling words of a text, the most alike first',
    who: whoFor(WHO_MAY.inbox.similar),
    grants: ['search_feedback'],
    query: z.strictObject({
      title: z.string().describe('The title of what somebody is about to post'),
      content: z.string().optional().describe('What it is about'),
      boardId: ids.board.optional(),
      limit: limitUpTo(10, 5),
    }),
    answer: whole('PostItem', PostItem),
    run: ({ services, actor, query }) => services.inbox.similar(actor, query),
  }),
];

const readRoutes = [
  defineRoute({
    method: 'GET',
    path: '/inbox/posts',
    summary: 'Posts of a view of the inbox, with what the caller has seen',
    who: whoFor(WHO_MAY.inbox.posts),
    grants: ['search_feedback'],
    query: z.strictObject({
      view: z
        .enum(INBOX_VIEWS)
        .optional()
        .describe('all when absent; pending, spam and archived posts are narrowed by boardId alone'),
      ...postFilterFields,
      sort: z.enum(POST_SORTS).optional().describe('newest when absent'),
      ...pageFields,
    }),
    answer: page('InboxPost', InboxPost),
    run: ({ services, actor, query }) => services.inbox.posts(actor, query),
  }),
  defineRoute({
    method: 'PUT',
    path: '/posts/:id/read',
    summary: 'Mark a post as seen by the caller; safe to repeat',
    who: whoFor(WHO_MAY.reading.set),
    grants: ['get_post'],
    answer: one('ReadMark', ReadMark),
    run: ({ services, actor, params }) => services.reading.set(actor, params.id, true),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/posts/:id/read',
    summary: 'Mark a post as not seen by the caller; safe to repeat',
    who: whoFor(WHO_MAY.reading.set),
    grants: ['get_post'],
    effect: 'update',
    answer: one('ReadMark', ReadMark),
    run: ({ services, actor, params }) => services.reading.set(actor, params.id, false),
  }),
  defineRoute({
    method: 'PUT',
    path: '/inbox/read-mark',
    summary: 'Mark everything up to a time as seen by the caller',
    who: whoFor(WHO_MAY.reading.setBefore),
    grants: ['get_post'],
    body: z.strictObject({ before: time.describe('Up to when, e.g. 2026-03-01T09:00:00Z') }),
    answer: one('ReadBefore', ReadBefore),
    run: ({ services, actor, body }) => services.reading.setBefore(actor, body.before),
  }),
];

const streamRoutes = [
  defineRoute({
    method: 'GET',
    path: '/stream',
    summary: 'Which lists have changed, as server-sent events',
    who: 'team',
    grants: ['search_feedback'],
    answer: eventStream,
    run: async () => undefined,
  }),
];

export const inboxRoutes = [...moderationRoutes, ...triageRoutes, ...readRoutes, ...streamRoutes];
