/** Routes of the schedules of an agent, for people: looked at, stopped, started again, run at once. */
import { limitUpTo, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { POLICIES } from '../services/schedules/schema.ts';
import { agentOf } from './agent-of.ts';
import { Action, Execution, shownActions, shownExecution } from './executions.ts';
import { before } from './before.ts';
import { defineRoute } from './route.ts';

const STATUSES = ['active', 'paused', 'auto_paused'] as const;

const Timing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cron'), cron: z.string(), timezone: z.string() }),
  z.object({ kind: z.literal('interval'), minutes: z.int() }),
  z.object({ kind: z.literal('event'), type: z.string(), filter: z.string().optional() }),
]);
const Schedule = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(STATUSES),
  policy: z.enum(POLICIES),
  timing: Timing,
  actions: z.array(Action),
  runs: z.int(),
  failures: z.int().describe('In a row'),
  next_run_at: z.string().nullable(),
});
const Status = z.object({ id: z.string(), status: z.enum(STATUSES) });
const MANAGE = { who: 'team', grants: ['agents_manage'] } as const;

export const scheduleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/schedules',
    summary: 'The schedules of an agent, the oldest first',
    who: 'team',
    grants: ['agents_read'],
    answer: whole('Schedule', Schedule),
    run: async (asked) =>
      (await asked.services.schedules.whole(await agentOf(asked))).map(({ actions, ...schedule }) => ({
        ...schedule,
        actions: shownActions(actions),
      })),
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/schedules/:scheduleId/executions',
    summary: 'What a schedule did, the newest first',
    who: 'team',
    grants: ['executions_read'],
    query: z.strictObject({
      limit: limitUpTo(100, 20),
      before: before('exec'),
    }),
    answer: whole('Execution', Execution),
    async run(asked) {
      const { services, params, query } = asked;
      const of = await agentOf(asked);
      return (await services.schedules.executions.of(of, params.scheduleId, query)).map(shownExecution);
    },
  }),
  defineRoute({
    ...MANAGE,
    method: 'POST',
    path: '/:id/schedules/:scheduleId/pause',
    summary: 'Let a schedule rest until somebody resumes it',
    effect: 'update',
    answer: one('PausedSchedule', Status),
    async run(asked) {
      const { services, caller, params } = asked;
      const of = await agentOf(asked);
      return { id: params.scheduleId, status: await services.schedules.pause(of, params.scheduleId, caller) };
    },
  }),
  defineRoute({
    ...MANAGE,
    method: 'POST',
    path: '/:id/schedules/:scheduleId/resume',
    summary: 'Let a schedule go on from now, and forget its failures',
    effect: 'update',
    answer: one('ResumedSchedule', Status),
    async run(asked) {
      const { services, caller, params } = asked;
      const of = await agentOf(asked);
      // What the agent does then, it does at their word.
      await services.permissions.actAs(caller, of.agentId);
      return {
        id: params.scheduleId,
        status: await services.schedules.resume(of, params.scheduleId, caller),
      };
    },
  }),
  defineRoute({
    ...MANAGE,
    method: 'POST',
    path: '/:id/schedules/:scheduleId/run',
    summary: 'Run a schedule now; what it waits for otherwise, it waits for here too',
    effect: 'run',
    answer: one('StartedExecution', z.object({ execution_id: z.string(), status: z.string() })),
    async run(asked) {
      const { services, caller, params } = asked;
      const of = await agentOf(asked);
      await services.permissions.actAs(caller, of.agentId);
      const { id, status } = await services.schedules.runNow(of, params.scheduleId, caller);
      return { execution_id: id, status };
    },
  }),
];
