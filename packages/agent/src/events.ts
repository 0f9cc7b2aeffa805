/** The events of agents: their types, for those who publish and for documents. */
import { defineEvent } from '@parley/events/define';
import * as z from 'zod';

export const questionAsked = defineEvent({
  type: 'question.asked',
  when: 'an agent asked its owner',
  data: z.object({
    id: z.string(),
    agentId: z.string(),
    question: z.string(),
    options: z.array(z.string()).nullable(),
    deadline: z.string(),
  }),
});

export const questionAnswered = defineEvent({
  type: 'question.answered',
  when: 'somebody answered or declined it',
  data: z.object({
    id: z.string(),
    agentId: z.string(),
    declined: z.boolean(),
    answer: z.string().nullable(),
    optionIndex: z.int().nullable(),
    answeredBy: z.string(),
  }),
});

export const notificationCreated = defineEvent({
  type: 'notification.created',
  when: 'an agent told its owner something',
  data: z.object({
    id: z.string(),
    agentId: z.string(),
    level: z.string(),
    title: z.string().nullable(),
    message: z.string(),
  }),
});

/** All of them, for documents. */
export const AGENT_EVENTS = [questionAsked, questionAnswered, notificationCreated];
