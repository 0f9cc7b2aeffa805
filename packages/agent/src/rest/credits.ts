/** Routes of the credits of an agent: what it has, what went through its account, and more of them from people. */
import { created, limitUpTo, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { AgentServices } from '../services/index.ts';
import { defineRoute } from './route.ts';

const Movement = z.object({
  id: z.string(),
  type: z.enum(['purchase', 'deduction', 'agent_message', 'reserve', 'release', 'grant', 'refund']),
  amount: z.number().describe('Below zero for what was taken'),
  reason: z.string(),
  at: z.string(),
});
const Account = z.object({
  account_id: z.string(),
  available: z.number(),
  reserved: z.number(),
  total: z.number(),
  lifetime_bought: z.number(),
  lifetime_used: z.number(),
  low: z.boolean(),
  config: z.object({
    credits_per_unit: z.number(),
    low_credit_threshold: z.number(),
    credits_per_turn: z.number(),
    credits_per_agent_message: z.number(),
    reserve_per_group_message: z.number(),
    free_credits_first_time: z.number(),
    enforce: z.boolean(),
  }),
  movements: z.array(Movement).describe('The newest first'),
});

async function accountOf(services: AgentServices, organizationId: string, id: string): Promise<string> {
  const agent = await services.agents.get(organizationId, id);
  if (agent === undefined) throw new ToolError('not_found', 'Agent not found');
  return agent.account_id;
}

export const creditRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/credits',
    summary: 'What an agent has, what went through its account, and what things cost',
    who: 'team',
    grants: ['agents_read'],
    query: z.strictObject({ limit: limitUpTo(200, 50) }),
    answer: one('AgentCredits', Account),
    async run({ services, caller: { organizationId }, params: { id }, query: { limit } }) {
      const accountId = await accountOf(services, organizationId, id);
      const balance = await services.credits.check({ organizationId, agentId: id }, accountId);
      return {
        ...balance,
        low: balance.available < balance.config.low_credit_threshold,
        movements: await services.credits.movements(organizationId, accountId, limit),
      };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/credits',
    summary: 'Give credits to an agent',
    who: 'team',
    // The first keeps agents out, the second is what the tool asks for too.
    grants: ['agents_manage'],
    grantsOf: () => ['corvid_grant_credits'],
    body: z.strictObject({
      amount: z.int().min(1).max(1_000_000),
      reason: z.string().trim().min(1).max(200).default('console'),
    }),
    answer: created(
      'GivenCredits',
      z.object({ transaction_id: z.string(), available: z.number(), total: z.number() }),
      (_made, { id }) => `/api/agents/${id}/credits`,
    ),
    async run({ services, caller, params, body }) {
      const accountId = await accountOf(services, caller.organizationId, params.id);
      return services.credits.give(caller, { accountId, ...body });
    },
  }),
];
