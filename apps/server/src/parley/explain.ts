/** `parley_explain`: why a caller does or does not see a tool, resource or prompt. */
import { commandWord } from '../config.ts';
import type { Caller } from '@parley/kit';
import { administratorsOnly, defineToolFor } from '@parley/kit';
import * as z from 'zod';
import type { Kind, ParleyServices } from './services.ts';

const USES: Readonly<Record<Kind, string>> = { tool: 'call', resource: 'read', prompt: 'use' };

const REASONS = {
  visible: (kind: Kind) => `The caller sees the ${kind} and may ${USES[kind]} it.`,
  unknown: () => 'No tool, resource or prompt has this name.',
  agent_missing: (kind: Kind) =>
    `The ${kind} is for agents, and this key is not one's. "${commandWord()} agents create" makes an agent and its key.`,
  not_in_set: (kind: Kind) =>
    `The tools that the agent was given, and those of its bundles, leave the ${kind} out.`,
  no_grant: (kind: Kind) => `None of the grants that the key and its owner both hold covers the ${kind}.`,
  privileged: (kind: Kind) =>
    `The ${kind} is privileged, and no grant of the caller names it. For some such ${kind}s the wildcard of an owner or administrator is enough, for this one it is not.`,
  unattended: (kind: Kind) =>
    `The ${kind} is blocked while nobody is watching, and this caller is unattended.`,
  not_available: (kind: Kind) => `The ${kind} is not available right now.`,
  capability: (kind: Kind) => `The caller sees the ${kind}, but every call of it is refused.`,
} as const;

type Reason = keyof typeof REASONS;

/** Explains the resolver's decision to callers who may administer. */
export const explain = defineToolFor<ParleyServices>()({
  name: 'parley_explain',
  title: 'Explain access',
  description: 'Tells why a caller does or does not see a tool, resource or prompt. For administrators.',
  effect: 'read',
  available: administratorsOnly,
  input: z.object({
    caller: z
      .string()
      .min(1)
      .max(128)
      .describe('Id, public id or name of an API key, or id or name of an agent'),
    tool: z.string().min(1).max(128).describe('Name of the tool, resource or prompt'),
  }),
  output: z.object({
    caller: z.object({ id: z.string(), name: z.string() }),
    tool: z.string(),
    visible: z.boolean(),
    reason: z.enum([
      'visible',
      'unknown',
      'agent_missing',
      'no_grant',
      'not_in_set',
      'privileged',
      'unattended',
      'not_available',
      'capability',
    ]),
    explanation: z.string(),
  }),
  text: ({ caller, tool, explanation }) => `${tool} for ${caller.name}: ${explanation}`,
  async run(input, ctx) {
    const caller = await ctx.services.findCaller(ctx.caller, input.caller);
    if (caller === undefined) {
      throw ctx.error('not_found', 'No API key or agent of your organization has this id or name.');
    }
    return explanationOf(ctx.services, caller, input.tool);
  },
});

/** What decides about a tool, resource or prompt for a caller, and the reason in words. */
export async function explanationOf(
  services: Pick<ParleyServices, 'explain' | 'lackOfAgent' | 'whyOfAgent'>,
  caller: Caller,
  tool: string,
) {
  const { kind, reason: hidden } = services.explain(caller, tool);
  const lack = hidden === undefined ? await services.lackOfAgent(caller, tool) : undefined;
  const reason: Reason = hidden ?? (lack === undefined ? 'visible' : 'capability');
  const why = await services.whyOfAgent(caller, tool);
  return {
    caller: { id: caller.id, name: caller.name },
    tool,
    visible: hidden === undefined,
    reason,
    explanation: [REASONS[reason](kind), why, lack].filter((part) => part !== undefined).join(' '),
  };
}
