/** Routes of the inbox: an agent's own, or for people who manage agents. */
import { nothing, one } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { AgentServices } from '../services/index.ts';
import type { InboxOf } from '../services/messages/inbox.ts';
import { defineRoute } from './route.ts';

const RULES = { who: 'team', grants: ['inbox', 'agents_manage'], grantsOf: () => [] } as const;
const MAX_WAIT_SECONDS = 30;
const MAX_TEXT = 32_768;

const Message = z.object({
  id: z.string(),
  from: z.object({ id: z.string().nullable(), name: z.string() }),
  thread: z.string(),
  text: z.string(),
  status: z.enum(['queued', 'claimed', 'replied', 'failed']),
  depth: z.int(),
  unattended: z.boolean(),
  reply_to: z.string().nullable(),
  sent_at: z.string(),
  cursor: z.string().describe('What `after` takes to go on behind it'),
});

const worker = z
  .string()
  .trim()
  .max(100)
  .optional()
  .describe('Tells apart workers that share a key; the same one renews its claim');

/** The inbox of an agent that the caller may speak for; another agent's is as unknown as one that is not there. */
async function inboxOf(
  services: AgentServices,
  { organizationId, agent }: Caller,
  id: string,
): Promise<InboxOf> {
  const isTheirs = agent === undefined ? await services.agents.get(organizationId, id) : agent.id === id;
  if (isTheirs === undefined || isTheirs === false) throw new ToolError('not_found', 'Agent not found');
  return { organizationId, agentId: id };
}

const holderOf = ({ id }: Caller, name: string | undefined) => (name === undefined ? id : `${id} ${name}`);

export const inboxRoutes = [
  defineRoute({
    ...RULES,
    method: 'GET',
    path: '/:id/inbox',
    summary: 'The unread messages of an agent, oldest first; with `wait` it waits for one',
    query: z.strictObject({
      after: z.string().max(100).optional().describe('The cursor of the last message seen'),
      wait: z
        .string()
        .refine((text) => /^\d{1,2}$/.test(text) && Number(text) <= MAX_WAIT_SECONDS, 'must be 0 to 30')
        .transform(Number)
        .default(0)
        .meta({ type: 'integer', description: 'Seconds to wait, 0 to 30' }),
    }),
    answer: one('Inbox', z.object({ messages: z.array(Message) })),
    async run({ services, caller, params, query }) {
      const of = await inboxOf(services, caller, params.id);
      const { after, wait } = query;
      return {
        messages: await services.messages.poll(of, { callerId: caller.id, after, waitSeconds: wait }),
      };
    },
  }),
  defineRoute({
    ...RULES,
    method: 'POST',
    path: '/:id/inbox/:messageId/claim',
    summary: 'Take a message for 60 s, or renew that; what is not renewed is offered again',
    effect: 'update',
    body: z.strictObject({ worker }).optional(),
    answer: one('InboxClaim', z.object({ id: z.string(), lease_until: z.string() })),
    async run({ services, caller, params, body }) {
      const of = await inboxOf(services, caller, params.id);
      return services.messages.inbox.claim(of, params.messageId, holderOf(caller, body?.worker));
    },
  }),
  defineRoute({
    ...RULES,
    method: 'POST',
    path: '/:id/inbox/:messageId/reply',
    summary: 'Answer a message; accepted once',
    body: z.strictObject({ text: z.string().trim().min(1).max(MAX_TEXT), worker }),
    answer: one('InboxReply', z.object({ message_id: z.string() })),
    async run({ services, caller, params, body }) {
      const of = await inboxOf(services, caller, params.id);
      const holder = holderOf(caller, body.worker);
      return services.messages.inbox.reply(of, params.messageId, body.text, holder);
    },
  }),
  defineRoute({
    ...RULES,
    method: 'POST',
    path: '/:id/inbox/:messageId/fail',
    summary: 'Say that a message could not be dealt with',
    effect: 'update',
    body: z.strictObject({ reason: z.string().trim().max(1000).default(''), worker }).optional(),
    answer: nothing,
    async run({ services, caller, params, body }) {
      const of = await inboxOf(services, caller, params.id);
      const reason = body?.reason || 'The recipient could not deal with it.';
      const failure = { code: 'runner_failed', reason };
      await services.messages.inbox.fail(of, params.messageId, failure, holderOf(caller, body?.worker));
    },
  }),
];
