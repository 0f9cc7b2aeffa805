/** Routes of what an agent remembers, for the people who manage it: what they write, it signs as its own. */
import { limitUpTo, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { agentOf } from './agent-of.ts';
import { defineRoute } from './route.ts';

const Memory = z.object({
  key: z.string(),
  content: z.string(),
  saved_at: z.string(),
  hash: z.string(),
  signature: z.enum(['valid', 'invalid']),
  archived: z.boolean(),
});

const wellFormed = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be text that can be stored');
const key = wellFormed(200);
/** What an agent remembers it acts on, so nobody writes there who can do less than it. */
async function steered(asked: Parameters<typeof agentOf>[0]) {
  const of = await agentOf(asked);
  await asked.services.permissions.actAs(asked.caller, of.agentId);
  return of;
}

const Saved = z.object({
  key: z.string(),
  created: z.boolean(),
  hash: z.string(),
  seq: z.int(),
  updated_at: z.string(),
});

export const memoryRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/:id/memories',
    summary: 'Save a memory under its key, in place of what is there',
    who: 'team',
    grants: ['agents_manage'],
    body: z.strictObject({
      key,
      content: wellFormed(65_536),
      expires_in_days: z.int().min(1).max(3650).optional().describe('Archived after that; absent: never'),
    }),
    answer: one('SavedMemory', Saved),
    async run(asked) {
      const { services, caller, body } = asked;
      const { expires_in_days: expiresInDays, ...memory } = body;
      return services.memories.save(await steered(asked), { ...memory, expiresInDays }, caller);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/memories/forget',
    summary: 'Forget a memory; what was signed for it stays in the chain',
    who: 'team',
    grants: ['agents_manage'],
    effect: 'delete',
    body: z.strictObject({ key }),
    answer: one('ForgottenMemory', Saved),
    run: async (asked) => asked.services.memories.forget(await steered(asked), asked.body.key, asked.caller),
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/memories',
    summary: 'What an agent remembers: by key, by words, or the newest first',
    who: 'team',
    grants: ['agents_manage'],
    query: z.strictObject({
      key: z.string().trim().min(1).max(200).optional(),
      query: z.string().trim().min(1).max(500).optional(),
      limit: limitUpTo(50, 20),
    }),
    answer: one('MemoryList', z.object({ memories: z.array(Memory), total: z.int() })),
    async run(asked) {
      const { services, query } = asked;
      const of = await agentOf(asked);
      if (query.key !== undefined && query.query !== undefined)
        throw new ToolError('invalid', 'query: give key or query, not both');
      return services.memories.recall(of, query);
    },
  }),
];
