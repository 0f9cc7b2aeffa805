/** The events of feedback: their types, what their data is, and which of them webhooks can ask for. */
import { defineEvent } from '@parley/events/define';
import * as z from 'zod';
import type { EventType } from './services/write.ts';
import { EVENT_TYPES } from './services/write.ts';

const Post = z.looseObject({ id: z.string(), title: z.string() });
const post = { post: Post };

const DATA: Readonly<Record<EventType, readonly [when: string, data: z.ZodType]>> = {
  'post.created': ['a post was published', z.object(post)],
  'post.updated': ['a post was changed', z.object(post)],
  'post.status_changed': [
    'a post got another status',
    z.object({ ...post, previousStatusId: z.string().nullable(), statusId: z.string().nullable() }),
  ],
  'post.vote_threshold': [
    'a post reached a number of votes',
    z.object({ ...post, threshold: z.int(), voteCount: z.int() }),
  ],
  'post.merged': [
    'a post was merged into another',
    z.object({ ...post, duplicatePostId: z.string(), canonicalPostId: z.string() }),
  ],
  'post.deleted': ['a post was deleted', z.object({ postId: z.string(), boardId: z.string() })],
  'comment.created': [
    'somebody commented',
    z.object({ ...post, comment: z.looseObject({ id: z.string() }) }),
  ],
  'changelog.published': [
    'a changelog entry is out',
    z.object({ changelog: z.looseObject({ id: z.string(), title: z.string() }) }),
  ],
};

/** All of them, for documents and checks. */
export const FEEDBACK_EVENTS = EVENT_TYPES.map((type) => {
  const [when, data] = DATA[type];
  return defineEvent({ type, when, data });
});
