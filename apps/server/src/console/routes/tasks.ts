/** Tasks of the organization, as far as one may see them: looking, answering, cancelling, running again. */
import { plainErrorOf } from '@parley/gateway';
import { HttpRefusal } from '@parley/http';
import { limitUpTo, one, timeOrder } from '@parley/http/rest';
import { ProtocolFault } from '@parley/kit';
import * as z from 'zod';
import { defineRoute } from '../scope.ts';
import type { TaskInFull as SeenInFull } from '../seen-tasks.ts';
import { requireTask, runAgain, taskFor, tasksFor } from '../seen-tasks.ts';

const STATES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

const Task = z.object({
  id: z.string(),
  title: z.string(),
  toolset: z.string().nullable(),
  tool: z.string(),
  state: z.enum(STATES),
  progress: z.object({ done: z.number(), total: z.number().nullable() }).nullable(),
  message: z.string().nullable(),
  owner: z.object({ id: z.string(), name: z.string() }),
  isOwn: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});

/** A form to fill in, or a page to open. */
const Asked = z.looseObject({
  method: z.string().optional(),
  params: z
    .looseObject({
      message: z.string().optional(),
      requestedSchema: z.unknown().optional(),
      url: z.string().optional(),
    })
    .optional(),
});

const TaskInFull = Task.extend({
  steps: z.array(
    z.object({ key: z.string(), kind: z.enum(['step', 'sleep']), isDone: z.boolean(), attempts: z.int() }),
  ),
  said: z
    .array(
      z.object({
        at: z.iso.datetime(),
        done: z.number(),
        total: z.number().nullable(),
        message: z.string(),
      }),
    )
    .describe('What it said on its way, the oldest first; the last 100 are kept'),
  questions: z.record(z.string(), Asked).describe('By key, as tools ask them'),
  arguments: z.unknown().describe('Without secrets'),
  result: z.unknown().nullable(),
  error: z.unknown().nullable(),
  canRunAgain: z.boolean(),
});

const MOST = 100;
const USUAL = 50;

const copied = <T extends object>(value: T): T => ({ ...value });

const shown = ({ steps, said, questions, ...task }: SeenInFull) => ({
  ...task,
  steps: steps.map(copied),
  said: said.map(copied),
  questions: { ...questions },
});

export const taskRoutes = [
  defineRoute({
    method: 'GET',
    path: '/tasks',
    summary: 'Tasks of the organization, newest first: one’s own, or everybody’s for administrators',
    who: 'team',
    grants: ['tasks:list_tasks'],
    query: z.strictObject({
      state: z.enum(STATES).optional(),
      text: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A part of the tool, the message or the name of the owner'),
      limit: limitUpTo(MOST, USUAL),
      cursor: z.string().max(200).optional(),
      order: timeOrder,
    }),
    answer: one('TaskList', z.object({ tasks: z.array(Task), cursor: z.string().nullable() })),
    async run(scope) {
      const { items, cursor } = await tasksFor(scope, scope.query);
      return { tasks: items.map(copied), cursor };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/tasks/:id',
    summary: 'One task with its steps, what it said, its questions and its result',
    who: 'team',
    grants: ['tasks:get_task'],
    answer: one('TaskInFull', TaskInFull),
    async run(scope) {
      return shown(await taskFor(scope, scope.params.id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/tasks/:id/answer',
    summary: 'Answer the questions of a task',
    who: 'team',
    grants: ['tasks:get_task'],
    effect: 'update',
    body: z.strictObject({
      inputResponses: z
        .record(z.string(), z.unknown())
        .describe('By the keys of the questions: {action: "accept" or "decline", content}'),
    }),
    answer: one('TaskInFull', TaskInFull),
    async run(scope) {
      const { host, params, body } = scope;
      const { task } = await requireTask(scope, params.id);
      if (task.status !== 'input_required')
        throw new HttpRefusal('CONFLICT', `This task asks nothing now; it is ${task.status}.`);
      const { organizationId, ownerId } = task;
      await host.tasks.answer({ organizationId, ownerId }, task.id, body.inputResponses);
      return shown(await taskFor(scope, params.id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/tasks/:id/cancel',
    summary: 'Cancel a task',
    who: 'team',
    grants: ['tasks:cancel_task'],
    effect: 'update',
    answer: one('TaskInFull', TaskInFull),
    async run(scope) {
      const { host, caller, params } = scope;
      const { task } = await requireTask(scope, params.id);
      const { organizationId, ownerId } = task;
      const before = await host.tasks.cancel(
        { organizationId, ownerId },
        task.id,
        `Cancelled by ${caller.name}.`,
      );
      if (before !== undefined && before.finishedAt !== null)
        throw new HttpRefusal('CONFLICT', `This task has ended already; it is ${before.status}.`);
      return shown(await taskFor(scope, params.id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/tasks/:id/run-again',
    summary: 'Call the tool of an own task once more with the same arguments',
    who: 'team',
    grants: ['tasks:get_task'],
    effect: 'run',
    answer: one('RunAgain', z.object({ taskId: z.string().nullable(), result: z.unknown().nullable() })),
    async run(scope) {
      try {
        return await runAgain(scope, scope.params.id);
      } catch (error) {
        throw error instanceof ProtocolFault ? plainErrorOf(error) : error;
      }
    },
  }),
];
