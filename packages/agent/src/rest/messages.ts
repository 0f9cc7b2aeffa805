/** The route of what an agent said and was told, for the people who manage it. */
import { limitUpTo, whole } from '@parley/http/rest';
import * as z from 'zod';
import { agentOf } from './agent-of.ts';
import { defineRoute } from './route.ts';

const Party = z.object({
  id: z.string().nullable().describe('null: an agent of another server, or one that was not known'),
  name: z.string().nullable().describe('null: it is gone'),
});
const Message = z.object({
  id: z.string(),
  thread: z.string(),
  from: Party,
  to: Party,
  text: z.string(),
  status: z.enum(['queued', 'claimed', 'replied', 'failed']),
  code: z.string().nullable().describe('Why it failed or was refused'),
  reply_to: z.string().nullable(),
  sent_at: z.string(),
});

export const messageRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/messages',
    summary: 'The messages to and from an agent, the newest first, refused ones too',
    who: 'team',
    grants: ['agents_manage'],
    query: z.strictObject({
      limit: limitUpTo(200, 50),
      before: z
        .string()
        .refine((text) => /^[\w-]{1,64}$/.test(text), 'must be the id of a message')
        .optional()
        .describe('The id of the last one that you have'),
    }),
    answer: whole('LoggedMessage', Message),
    run: async (asked) => asked.services.messages.log(await agentOf(asked), asked.query),
  }),
];
