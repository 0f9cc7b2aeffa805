/** Routes of votes, following, comments, reactions and pins. */
import { created, nothing, one, page, pageFields, whole } from '@parley/http/rest';
import * as z from 'zod';
import { ids, text } from '../../shapes/fields.ts';
import { Following } from '../../shapes/inbox.ts';
import {
  Comment,
  CommentNode,
  CreateComment,
  PostDetail,
  ReactionCount,
  Voter,
  VoteResult,
} from '../../shapes/posts.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

const voteRoutes = [
  defineRoute({
    method: 'POST',
    path: '/posts/:id/vote',
    summary: 'Vote for a post, or take the vote back',
    who: whoFor(WHO_MAY.votes.toggle),
    grants: ['vote_post'],
    answer: one('VoteResult', VoteResult),
    run: ({ services, actor, params }) => services.votes.toggle(actor, params.id),
  }),
  defineRoute({
    method: 'PUT',
    path: '/posts/:id/vote',
    summary: 'Vote for a post; safe to repeat',
    who: whoFor(WHO_MAY.votes.set),
    grants: ['vote_post'],
    answer: one('VoteResult', VoteResult),
    run: ({ services, actor, params }) => services.votes.set(actor, params.id, true),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/posts/:id/vote',
    summary: 'Take the vote back; safe to repeat',
    who: whoFor(WHO_MAY.votes.set),
    grants: ['vote_post'],
    answer: one('VoteResult', VoteResult),
    run: ({ services, actor, params }) => services.votes.set(actor, params.id, false),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts/:id/vote/proxy',
    summary: 'Vote on behalf of somebody',
    who: whoFor(WHO_MAY.votes.proxy),
    grants: ['proxy_vote'],
    body: z.strictObject({
      memberId: ids.member,
      source: text(0, 50).optional().describe('Where the wish came from, e.g. "support call"'),
    }),
    answer: one('VoteResult', VoteResult),
    run: ({ services, actor, params, body }) =>
      services.votes.proxy(actor, params.id, { ...body, voted: true }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/posts/:id/vote/proxy',
    summary: 'Take the vote of somebody back',
    who: whoFor(WHO_MAY.votes.proxy),
    grants: ['proxy_vote'],
    query: z.strictObject({ memberId: ids.member }),
    answer: one('VoteResult', VoteResult),
    run: ({ services, actor, params, query }) =>
      services.votes.proxy(actor, params.id, { memberId: query.memberId, voted: false }),
  }),
  defineRoute({
    method: 'GET',
    path: '/posts/:id/voters',
    summary: 'Who voted, newest first',
    who: whoFor(WHO_MAY.votes.voters),
    grants: ['get_post'],
    query: z.strictObject(pageFields),
    answer: page('Voter', Voter),
    run: ({ services, actor, params, query }) => services.votes.voters(actor, params.id, query),
  }),
];

const followRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/posts/:id/follow',
    summary: 'Follow a post; safe to repeat',
    who: whoFor(WHO_MAY.following.follow),
    grants: ['vote_post'],
    answer: one('Following', Following),
    run: ({ services, actor, params }) => services.following.follow(actor, params.id, true),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/posts/:id/follow',
    summary: 'Follow a post no longer; safe to repeat',
    who: whoFor(WHO_MAY.following.follow),
    grants: ['vote_post'],
    answer: one('Following', Following),
    run: ({ services, actor, params }) => services.following.follow(actor, params.id, false),
  }),
];

const commentRoutes = [
  defineRoute({
    method: 'GET',
    path: '/posts/:id/comments',
    summary: 'All comments of a post, oldest first, with their replies',
    who: whoFor(WHO_MAY.comments.tree),
    grants: ['get_post'],
    answer: whole('CommentNode', CommentNode),
    run: ({ services, actor, params }) => services.comments.tree(actor, params.id),
  }),
  defineRoute({
    method: 'POST',
    path: '/posts/:id/comments',
    summary: 'Comment on a post',
    who: whoFor(WHO_MAY.comments.create),
    grants: ['add_comment'],
    body: CreateComment.strict(),
    answer: created('CommentNode', CommentNode, ({ id }) => `/comments/${id}`),
    run: ({ services, actor, params, body }) => services.comments.create(actor, params.id, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/comments/:id',
    summary: 'Read a comment',
    who: whoFor(WHO_MAY.comments.get),
    grants: ['get_post'],
    answer: one('Comment', Comment),
    run: ({ services, actor, params }) => services.comments.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/comments/:id',
    summary: 'Change a comment',
    who: whoFor(WHO_MAY.comments.update),
    grants: ['update_comment'],
    body: CreateComment.pick({ content: true }).strict(),
    answer: one('Comment', Comment),
    run: ({ services, actor, params, body, check }) =>
      services.comments.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/comments/:id',
    summary: 'Delete a comment; with replies a stub stays',
    who: whoFor(WHO_MAY.comments.delete),
    grants: ['delete_comment'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.comments.delete(actor, params.id, check),
  }),
];

const reactionRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/comments/:id/reactions/:emoji',
    summary: 'React to a comment',
    who: whoFor(WHO_MAY.comments.react),
    grants: ['react_to_comment'],
    answer: whole('ReactionCount', ReactionCount),
    run: ({ services, actor, params }) => services.comments.react(actor, params.id, params.emoji, true),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/comments/:id/reactions/:emoji',
    summary: 'Take a reaction back',
    who: whoFor(WHO_MAY.comments.react),
    grants: ['react_to_comment'],
    answer: whole('ReactionCount', ReactionCount),
    run: ({ services, actor, params }) => services.comments.react(actor, params.id, params.emoji, false),
  }),
];

const pinRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/posts/:id/pin',
    summary: 'Pin a comment of the team',
    who: whoFor(WHO_MAY.comments.pin),
    grants: ['pin_comment'],
    body: z.strictObject({ commentId: ids.comment }),
    answer: one('Post', PostDetail),
    run: ({ services, actor, params, body }) => services.comments.pin(actor, params.id, body.commentId),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/posts/:id/pin',
    summary: 'Take the pin off',
    who: whoFor(WHO_MAY.comments.pin),
    grants: ['pin_comment'],
    answer: one('Post', PostDetail),
    run: ({ services, actor, params }) => services.comments.pin(actor, params.id, null),
  }),
];

export const conversationRoutes = [
  ...voteRoutes,
  ...followRoutes,
  ...commentRoutes,
  ...reactionRoutes,
  ...pinRoutes,
];
