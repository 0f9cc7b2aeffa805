/** Credits of agents. */
import * as z from 'zod';
import { DEFAULT_CONFIG } from '../services/credits/config.ts';
import { defineTool } from './define-tool.ts';
import { anyText, text } from './texts.ts';

const account = text(128);

export const checkCredits = defineTool({
  name: 'corvid_check_credits',
  title: 'Check credits',
  description: 'What an account has, what went through it, and what things cost.',
  effect: 'read',
  input: z.strictObject({ wallet_address: account.optional().describe('Account id; absent: your own') }),
  output: z.object({
    account_id: z.string(),
    available: z.number(),
    reserved: z.number(),
    total: z.number(),
    lifetime_bought: z.number(),
    lifetime_used: z.number(),
    config: z.object({
      credits_per_unit: z.number(),
      credits_per_turn: z.number(),
      low_credit_threshold: z.number(),
    }),
    low: z.boolean(),
  }),
  async run({ wallet_address: accountId }, { services }, acting) {
    const { config, ...balance } = await services.credits.check(acting, accountId);
    const { credits_per_unit, credits_per_turn, low_credit_threshold } = config;
    return {
      ...balance,
      config: { credits_per_unit, credits_per_turn, low_credit_threshold },
      low: balance.available < low_credit_threshold,
    };
  },
});

export const grantCredits = defineTool({
  name: 'corvid_grant_credits',
  title: 'Grant credits',
  description: 'Gives credits to the account of another agent.',
  effect: 'create',
  privileged: true,
  unattended: 'block',
  input: z.strictObject({
    wallet_address: account.describe('Account id, from corvid_list_agents'),
    amount: z.int().min(1).max(1_000_000),
    reason: anyText(200).default('agent_grant'),
  }),
  output: z.object({ transaction_id: z.string(), available: z.number(), total: z.number() }),
  errors: { self_grant: 'An agent cannot grant credits to itself.' },
  run: ({ wallet_address: accountId, amount, reason }, { services }, acting) =>
    services.credits.grant(acting, { accountId, amount, reason }),
});

const Config = z.object({
  credits_per_unit: z.number(),
  low_credit_threshold: z.number(),
  credits_per_turn: z.number(),
  credits_per_agent_message: z.number(),
  reserve_per_group_message: z.number(),
  free_credits_first_time: z.number(),
  enforce: z.boolean(),
} satisfies Record<keyof typeof DEFAULT_CONFIG, z.ZodType>);

export const creditConfig = defineTool({
  name: 'corvid_credit_config',
  title: 'Credit settings',
  description: 'Shows what things cost in the organization; with key and value changes one setting.',
  effect: 'update',
  privileged: true,
  unattended: 'block',
  input: z.strictObject({
    key: text(100)
      .optional()
      .describe(`One of ${Object.keys(DEFAULT_CONFIG).join(', ')}`),
    value: z
      .union([z.number(), z.boolean(), anyText(20)])
      .optional()
      .describe('0 to 1000000; true or false for enforce'),
  }),
  output: z.object({ config: Config, changed: z.boolean().optional() }),
  errors: { unknown_key: 'There is no setting of this name.' },
  async run({ key, value }, { services, error }, { caller }) {
    if (key === undefined && value !== undefined) throw error('invalid', 'key: is needed to set a value');
    const changed = key === undefined ? undefined : await services.credits.configure(caller, key, value);
    const config = await services.credits.config(caller.organizationId);
    return { config, ...(value !== undefined && { changed }) };
  },
});
