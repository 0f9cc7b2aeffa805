/** Routes of what schedules did, do, and ask people for. */
import { limitUpTo, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { ACTION_TYPES } from '../services/schedules/schema.ts';
import type { Execution } from '../services/schedules/approvals.ts';
import { defineRoute } from './route.ts';

const STATUSES = [
  'waiting',
  'pending',
  'running',
  'completed',
  'failed',
  'denied',
  'cancelled',
  'skipped',
] as const;

const Shape = z.object({
  id: z.string(),
  schedule_id: z.string(),
  schedule: z.string().describe('The name of the schedule'),
  agent_id: z.string(),
  actions: z
    .array(
      z.object({
        type: z.enum(ACTION_TYPES),
        repos: z.array(z.string()).optional(),
        description: z.string().optional(),
        project_id: z.string().optional(),
        to_agent_id: z.string().optional(),
        message: z.string().optional(),
        prompt: z.string().optional(),
      }),
    )
    .describe('What it does'),
  status: z.enum(STATUSES),
  approvals: z.int(),
  approvals_needed: z.int(),
  due_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  result: z.string().nullable(),
});

const MOST = 200;

const shown = ({ actions, ...execution }: Execution): z.input<typeof Shape> => ({
  ...execution,
  actions: actions.map(({ repos, ...action }) => ({ ...action, ...(repos && { repos: [...repos] }) })),
});

export const executionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'Executions of schedules, the newest first',
    who: 'team',
    grants: ['executions_read'],
    query: z.strictObject({
      status: z.enum(STATUSES).optional().describe('waiting: those that somebody has to approve'),
      limit: limitUpTo(MOST, MOST),
    }),
    answer: whole('Execution', Shape),
    run: async ({ services, caller, query }) =>
      (await services.schedules.executions.list(caller.organizationId, query)).map(shown),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/approve',
    summary: 'Approve an execution; the last approval that is needed starts it',
    who: 'team',
    grants: ['executions_approve'],
    effect: 'update',
    answer: one('ApprovedExecution', Shape),
    run: async ({ services, caller, params }) =>
      shown(await services.schedules.executions.approve(caller, params.id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/deny',
    summary: 'Deny an execution; it never runs',
    who: 'team',
    grants: ['executions_approve'],
    effect: 'update',
    answer: one('DeniedExecution', Shape),
    run: async ({ services, caller, params }) =>
      shown(await services.schedules.executions.deny(caller, params.id)),
  }),
];
