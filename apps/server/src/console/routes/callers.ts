/** Who else is there: whom one may call tools as, who has a tool, and why somebody does or does not. */
import { MISSING_REASONS } from '@parley/gateway';
import { one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { callersOf, whoHas } from '../callers.ts';
import { engineNamed } from '../engine-named.ts';
import { defineRoute } from '../scope.ts';
import { explained } from '../explained.ts';
import { missingAt } from '../missing.ts';

const NamedCaller = z.object({ id: z.string(), name: z.string(), kind: z.enum(['person', 'key', 'agent']) });

const Missing = z.object({
  reason: z
    .enum([...MISSING_REASONS, 'there', 'unknown'])
    .describe('Why it is missing; there: it is not, unknown: nothing has this name'),
  text: z.string(),
});

const Explanation = z.object({
  caller: z.object({ id: z.string(), name: z.string() }),
  tool: z.string(),
  visible: z.boolean(),
  reason: z.string(),
  explanation: z.string(),
  missing: Missing.describe('Why it is not in the list'),
  grants: z.record(z.string(), z.array(z.string())).describe('What the caller holds now'),
});

export const callerRoutes = [
  defineRoute({
    method: 'GET',
    path: '/callers',
    summary: 'Keys and agents that one may call tools as',
    who: 'person',
    isQuiet: true,
    answer: whole('NamedCaller', NamedCaller),
    run: (scope) => callersOf(scope),
  }),
  defineRoute({
    method: 'GET',
    path: '/tools/who',
    summary: 'Who else has a tool; null for those who do not administer',
    who: 'person',
    isQuiet: true,
    query: z.strictObject({
      endpoint: z.string().min(1).max(200).describe('What stands after /mcp/'),
      tool: z.string().min(1).max(200),
    }),
    answer: one('ToolHolders', z.array(NamedCaller).nullable()),
    async run(scope) {
      const { gateway, caller, query } = scope;
      return whoHas(scope, await engineNamed(gateway, caller, query), query.tool);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/tools/missing',
    summary:
      'Why one does not have a tool: permission, selection, health, quarantine, collision, era or inactive',
    who: 'person',
    isQuiet: true,
    query: z.strictObject({
      tool: z.string().min(1).max(200),
      endpoint: z.string().min(1).max(200).optional().describe('What stands after /mcp/; absent: everything'),
    }),
    answer: one('Missing', Missing),
    run: ({ host, gateway, caller, query }) =>
      missingAt({ host, gateway }, { caller, asker: caller, ...query }),
  }),
  defineRoute({
    method: 'GET',
    path: '/explain',
    summary: 'Why a member, key or agent does or does not have a tool, resource or prompt',
    who: 'team',
    grants: ['parley:parley_explain'],
    query: z.strictObject({
      caller: z
        .string()
        .min(1)
        .max(128)
        .describe('Id of a member; id, public id or name of a key; id or name of an agent'),
      tool: z.string().min(1).max(128),
      endpoint: z.string().min(1).max(200).optional().describe('What stands after /mcp/; absent: everything'),
    }),
    answer: one('Explanation', Explanation),
    run: (scope) => explained(scope, scope.query),
  }),
];
