/** The route of what an agent remembers, for the people who manage it; only the agent writes there. */
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

export const memoryRoutes = [
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
