/** Routes of the work of an agent: it is seen, claimed, answered, given up and cancelled. */
import { one } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { AgentServices } from '../services/index.ts';
import { iso } from '../services/schedules/rows.ts';
import type { Worker, WorkTask, WorkTasks } from '../services/work/work-tasks.ts';
import { defineRoute } from './route.ts';

const Work = z.object({
  task_id: z.string(),
  project_id: z.string(),
  description: z.string(),
  status: z.string(),
  branch: z.string().nullable(),
  iterations: z.int(),
  error: z.string().nullable(),
  reply: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
const Claimed = z.object({
  task_id: z.string(),
  claim: z.string().describe('Renews the claim, and goes with reply and fail'),
  lease_until: z.string(),
  prompt: z.string(),
  folder: z.string(),
  branch: z.string(),
});

const claimText = z.string().min(1).max(100);

function shown({ id, projectId, createdAt, finishedAt, ...task }: WorkTask) {
  const { description, status, branch, iterations, error, reply } = task;
  return {
    task_id: id,
    project_id: projectId,
    description,
    status,
    branch,
    iterations,
    error,
    reply,
    created_at: iso(createdAt),
    finished_at: iso(finishedAt),
  };
}

function workOf({ work }: AgentServices): WorkTasks {
  if (work === undefined)
    throw new ToolError('unavailable', 'Work tasks are off. Start the server with --work-tasks on.');
  return work;
}

/** Whose work it is; an agent has its own alone. */
function workerOf({ agent, organizationId }: Caller, agentId: string): Worker {
  if (agent !== undefined && agent.id !== agentId) throw new ToolError('not_found', 'Work task not found');
  return { organizationId, agentId };
}

const ROUTE = { who: 'team', grants: ['work'], effect: 'update' } as const;

export const workRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/work',
    summary: 'The work tasks of an agent, the newest first',
    who: 'team',
    grants: ['work'],
    answer: one('WorkList', z.object({ tasks: z.array(Work) })),
    async run({ services, caller, params }) {
      const worker = workerOf(caller, params.id);
      if ((await services.agents.get(worker.organizationId, worker.agentId)) === undefined)
        throw new ToolError('not_found', 'Agent not found');
      const found = await workOf(services).list(worker);
      return { tasks: found.map(shown) };
    },
  }),
  defineRoute({
    ...ROUTE,
    method: 'POST',
    path: '/:id/work/:taskId/claim',
    summary: 'Take work that is offered for 60 s, or renew the claim on it',
    body: z.strictObject({ claim: claimText.optional() }),
    answer: one('ClaimedWork', Claimed),
    async run({ services, caller, params, body }) {
      const taken = await workOf(services).claim(workerOf(caller, params.id), params.taskId, body.claim);
      const { id, claim, leaseUntil, prompt, folder, branch } = taken;
      return {
        task_id: id,
        claim,
        lease_until: new Date(leaseUntil).toISOString(),
        prompt,
        folder,
        branch,
      };
    },
  }),
  defineRoute({
    ...ROUTE,
    method: 'POST',
    path: '/:id/work/:taskId/reply',
    summary: 'Say that claimed work is done; it is checked then',
    body: z.strictObject({ claim: claimText, text: z.string().max(65_536) }),
    answer: one('RepliedWork', Work),
    run: async ({ services, caller, params, body: { claim, text } }) =>
      shown(await workOf(services).reply(workerOf(caller, params.id), params.taskId, claim, text)),
  }),
  defineRoute({
    ...ROUTE,
    method: 'POST',
    path: '/:id/work/:taskId/fail',
    summary: 'Give claimed work up',
    body: z.strictObject({ claim: claimText, error: z.string().trim().min(1).max(2000) }),
    answer: one('FailedWork', Work),
    run: async ({ services, caller, params, body: { claim, error } }) =>
      shown(await workOf(services).fail(workerOf(caller, params.id), params.taskId, claim, error)),
  }),
  defineRoute({
    ...ROUTE,
    method: 'POST',
    path: '/:id/work/:taskId/cancel',
    summary: 'End work that has not ended; what was done stays on its branch',
    answer: one('CancelledWork', Work),
    run: async ({ services, caller, params }) =>
      shown(await workOf(services).cancel(workerOf(caller, params.id), params.taskId)),
  }),
];
