/** Routes of the line to the owner: what agents told, what they ask, and the answers. */
import { limitUpTo, one } from '@parley/http/rest';
import * as z from 'zod';
import { CHANNEL_TYPES } from '../adapters/channels/channel.ts';
import { MOST_ANSWER } from '../services/owner/answers.ts';
import { LEVELS, QUESTION_STATUSES } from '../services/owner/schema.ts';
import { before } from './before.ts';
import { defineRoute } from './route.ts';

const MOST = 100;
const DEFAULT = 50;

const Channels = z.array(
  z.object({
    type: z.enum(CHANNEL_TYPES),
    status: z.enum(['queued', 'sent', 'failed']),
    attempts: z.int(),
    error: z.string().nullable(),
  }),
);
const OfAgent = z.object({ id: z.string(), name: z.string() });

const Notification = z.object({
  id: z.string(),
  agent: OfAgent,
  level: z.enum(LEVELS),
  title: z.string().nullable(),
  message: z.string(),
  created_at: z.string(),
  channels: Channels,
});

const Question = z.object({
  id: z.string(),
  agent: OfAgent,
  question: z.string(),
  options: z.array(z.string()).nullable(),
  context: z.string().nullable(),
  status: z.enum(QUESTION_STATUSES),
  answer: z.string().nullable(),
  option_index: z.int().nullable().describe('Counted from 1'),
  answered_by: z.string().nullable(),
  deadline: z.string(),
  created_at: z.string(),
  channels: Channels,
});

export const notificationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'What agents told their owners, the newest first',
    who: 'team',
    grants: ['notifications_read'],
    query: z.strictObject({
      limit: limitUpTo(MOST, DEFAULT),
      before: before('notification'),
    }),
    answer: one('NotificationList', z.object({ notifications: z.array(Notification) })),
    run: async ({ services, caller, query }) => ({
      notifications: await services.owner.notifications.list(caller.organizationId, query),
    }),
  }),
];

export const questionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'What agents ask their owners, the newest first',
    who: 'team',
    grants: ['questions_read'],
    query: z.strictObject({
      limit: limitUpTo(MOST, DEFAULT),
      status: z.enum(QUESTION_STATUSES).optional().describe('Only questions that are so now'),
    }),
    answer: one('QuestionList', z.object({ questions: z.array(Question) })),
    run: async ({ services, caller, query }) => ({
      questions: await services.owner.questions.list(caller.organizationId, query),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/answer',
    summary: 'Answer or decline a question, by its id or the first eight characters of it',
    who: 'team',
    grants: ['questions_answer'],
    effect: 'update',
    body: z.strictObject({
      answer: z.string().trim().min(1).max(MOST_ANSWER).optional().describe('In your own words'),
      option_index: z.int().min(1).max(10).optional().describe('One of its options, counted from 1'),
      decline: z.literal(true).optional().describe('You will not answer'),
    }),
    answer: one('Question', Question),
    run: ({ services, caller, params, body: { option_index: optionIndex, ...rest } }) =>
      services.owner.questions.answer(caller, params.id, { ...rest, optionIndex }),
  }),
];
