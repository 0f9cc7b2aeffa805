/** Routes of the schedules of an agent, for people: looked at, made, changed, stopped, started again, run at once. */
import { created, limitUpTo, nothing, one, whole } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import * as z from 'zod';
import type { AgentServices } from '../services/index.ts';
import { POLICIES } from '../services/schedules/schema.ts';
import type { Acting } from '../session.ts';
import { actingOf } from '../session.ts';
import { newScheduleOf, ScheduleFields, scheduleChangeOf } from '../tools/schedules.ts';
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
  next_runs: z.array(z.string()).describe('The next five'),
});
const Saved = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(STATUSES),
  next_run_at: z.array(z.string()).describe('The next three'),
  warnings: z.array(z.string()).optional().describe('Why it would fail as things are'),
});
const Status = z.object({ id: z.string(), status: z.enum(STATUSES) });
const MANAGE = { who: 'team', grants: ['agents_manage'] } as const;

interface Asked {
  readonly services: AgentServices;
  readonly caller: Caller;
  readonly params: { readonly id: string };
}

/** The agent as a person makes it act; what somebody says in the console counts as said there. */
async function actingFor({ services, caller, params }: Asked): Promise<Acting> {
  const acting = actingOf(await services.permissions.actAs(caller, params.id));
  return caller.source === 'web' ? { ...acting, source: 'web' } : acting;
}

export const scheduleRoutes = [
  defineRoute({
    ...MANAGE,
    method: 'POST',
    path: '/:id/schedules',
    summary: 'Make a schedule of an agent',
    body: ScheduleFields,
    answer: created('SavedSchedule', Saved, (_made, { id }) => `/api/agents/${id}/schedules`),
    run: async (asked) =>
      asked.services.schedules.create(await actingFor(asked), newScheduleOf(asked.body), asked.caller),
  }),
  defineRoute({
    ...MANAGE,
    method: 'PATCH',
    path: '/:id/schedules/:scheduleId',
    summary: 'Change a schedule; what is absent stays',
    body: ScheduleFields,
    answer: one('ChangedSchedule', Saved),
    async run(asked) {
      const { services, caller, params, body } = asked;
      const change = scheduleChangeOf(body);
      return services.schedules.update(await actingFor(asked), params.scheduleId, change, caller);
    },
  }),
  defineRoute({
    ...MANAGE,
    method: 'DELETE',
    path: '/:id/schedules/:scheduleId',
    summary: 'Delete a schedule; what it did stays to be looked at',
    answer: nothing,
    run: async (asked) =>
      asked.services.schedules.delete(await agentOf(asked), asked.params.scheduleId, asked.caller),
  }),
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
