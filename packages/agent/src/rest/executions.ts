/** Routes of what schedules did, do, and ask people for. */
import { limitUpTo, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import type { ScheduleAction } from '../services/schedules/schema.ts';
import { ACTION_TYPES } from '../services/schedules/schema.ts';
import type { Execution as FoundExecution } from '../services/schedules/approvals.ts';
import { before } from './before.ts';
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

/** What a schedule does. */
export const Action = z.object({
  type: z.enum(ACTION_TYPES),
  repos: z.array(z.string()).optional(),
  description: z.string().optional(),
  project_id: z.string().optional(),
  to_agent_id: z.string().optional(),
  message: z.string().optional(),
  prompt: z.string().optional(),
});

export const Execution = z.object({
  id: z.string(),
  schedule_id: z.string(),
  schedule: z.string().describe('The name of the schedule'),
  agent_id: z.string(),
  actions: z.array(Action).describe('What it does'),
  status: z.enum(STATUSES),
  approvals: z.int(),
  approvals_needed: z.int(),
  due_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  result: z.string().nullable(),
});

const MOST = 200;

export const shownActions = (actions: readonly ScheduleAction[]): z.input<typeof Action>[] =>
  actions.map(({ repos, ...action }) => ({ ...action, ...(repos && { repos: [...repos] }) }));

export const shownExecution = ({ actions, ...execution }: FoundExecution): z.input<typeof Execution> => ({
  ...execution,
  actions: shownActions(actions),
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
      before: before('exec'),
    }),
    answer: whole('Execution', Execution),
    run: async ({ services, caller, query }) =>
      (await services.schedules.executions.list(caller.organizationId, query)).map(shownExecution),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/approve',
    summary: 'Approve an execution; the last approval that is needed starts it',
    who: 'team',
    grants: ['executions_approve'],
    effect: 'update',
    answer: one('ApprovedExecution', Execution),
    run: async ({ services, caller, params }) =>
      shownExecution(await services.schedules.executions.approve(caller, params.id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/deny',
    summary: 'Deny an execution; it never runs',
    who: 'team',
    grants: ['executions_approve'],
    effect: 'update',
    answer: one('DeniedExecution', Execution),
    run: async ({ services, caller, params }) =>
      shownExecution(await services.schedules.executions.deny(caller, params.id)),
  }),
];
