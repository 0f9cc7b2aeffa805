/** Routes for agents of other servers, which give tasks to the agent that is offered here. */
import { bare } from '@parley/http/rest';
import { HttpRefusal } from '@parley/http';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { InboundTasks } from '../services/outside/inbound.ts';
import type { RemoteTaskRow } from '../services/outside/schema.ts';
import type { AgentScope } from './route.ts';
import { defineRoute } from './route.ts';

const MINUTE_MS = 60_000;
const DEFAULT_MS = 5 * MINUTE_MS;
const MAX_MS = 30 * MINUTE_MS;

const Task = z.object({
  id: z.string(),
  state: z.enum(['submitted', 'working', 'completed', 'failed']),
  messages: z.array(
    z.object({
      role: z.string(),
      parts: z.array(z.object({ type: z.literal('text'), text: z.string() })),
    }),
  ),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const Sent = z.strictObject({
  message: z.string().trim().min(1).max(32_768),
  skill: z.string().trim().min(1).max(200).optional(),
  timeoutMs: z.int().min(1000).max(MAX_MS).default(DEFAULT_MS),
  depth: z
    .int()
    .min(1)
    .max(1000)
    .default(2)
    .describe('How many agents called one another, this one included'),
});
// Some clients put what they send into an envelope.
const Body = z.union([Sent, z.strictObject({ params: Sent }).transform(({ params }) => params)]);

export const a2aRoutes = [
  defineRoute({
    method: 'POST',
    path: '/tasks/send',
    summary: 'Give a task to the agent; ask for it until it is completed or failed',
    who: 'team',
    grants: ['a2a_tasks'],
    effect: 'run',
    body: Body,
    answer: bare('RemoteTask', Task),
    async run({ services, caller, body }) {
      try {
        return shown(await inboundOf({ services }).send(caller, body));
      } catch (error) {
        throw withRetryAfter(error);
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/tasks/:id',
    summary: 'A task that the same caller has given',
    who: 'team',
    grants: ['a2a_tasks'],
    answer: bare('RemoteTask', Task),
    async run({ services, caller, params }) {
      const row = await inboundOf({ services }).get(caller, params.id);
      if (row === undefined) throw new ToolError('not_found', 'Task not found');
      return shown(row);
    },
  }),
];

function inboundOf({ services }: AgentScope): InboundTasks {
  const { inbound } = services.outside;
  // The routes are served only where it is switched on.
  if (inbound === undefined) throw new ToolError('not_found', 'Task not found');
  return inbound;
}

function shown(row: RemoteTaskRow): z.output<typeof Task> {
  const asked = { role: 'user', parts: textOf(row.message) };
  const replied = row.reply === null ? [] : [{ role: 'agent', parts: textOf(row.reply) }];
  return {
    id: row.id,
    state: row.state,
    messages: [asked, ...replied],
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

function textOf(text: string) {
  return [{ type: 'text' as const, text }];
}

const Wait = z.object({ retry_after: z.int() });

function withRetryAfter(error: unknown): unknown {
  if (!(error instanceof ToolError) || error.code !== 'rate_limited') return error;
  const { data } = Wait.safeParse(error.data);
  const headers = { 'retry-after': String(data?.retry_after ?? 60) };
  return new HttpRefusal('RATE_LIMITED', error.message, { headers });
}
