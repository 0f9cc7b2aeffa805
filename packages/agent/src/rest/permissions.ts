/** Routes that tell what an agent may do, and the one that makes a further key of it. */
import { created, flag, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { REMOVED_REASONS } from '../permissions/report.ts';
import { SESSION_SOURCES } from '../session.ts';
import { defineRoute } from './route.ts';

const Report = z.object({
  tools: z.array(z.string()),
  removed: z.array(
    z.object({
      name: z.string(),
      reason: z.enum(REMOVED_REASONS),
    }),
  ),
  unknown: z.array(z.string()).describe('Names in lists and bundles that stand for no tool'),
  prompt: z.string().describe('What the bundles tell the agent'),
  why: z.record(z.string(), z.string()).describe('For each tool, the list, bundle or set that decides'),
});

export const permissionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/tools',
    summary: 'What an agent may do in a session of a kind, and what is kept from it',
    who: 'team',
    grants: ['agents_read'],
    query: z.strictObject({
      source: z.enum(SESSION_SOURCES).default('api').describe('Where the session comes from'),
      project: z.string().max(128).optional().describe('The project of the session'),
      unattended: flag('Nobody watches'),
    }),
    answer: one('AgentTools', Report),
    async run({ services, caller, params, query: { source, project, unattended = false } }) {
      const kind = { source, unattended, projectId: project };
      const report = await services.permissions.report(caller.organizationId, params.id, kind);
      if (report === undefined) throw new ToolError('not_found', 'Agent not found');
      const { tools, removed, unknown, prompt, why } = report;
      return { tools: [...tools], removed: [...removed], unknown: [...unknown], prompt, why: { ...why } };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/api-keys',
    summary: 'Make a further key of an agent; it is shown this once',
    isSensitive: true,
    who: 'team',
    grants: ['agents_manage'],
    hasSecret: true,
    body: z.strictObject({
      project_id: z.string().min(1).max(128).optional().describe('The project of its sessions'),
    }),
    answer: created('AgentApiKey', z.object({ key: z.string() }), (_made, { id }) => `/api/agents/${id}`),
    run: async ({ services, caller, params, body }) => ({
      key: await services.agents.createKey(caller, params.id, { projectId: body.project_id }),
    }),
  }),
];
