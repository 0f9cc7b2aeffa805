/** The helper tools: look at one's own tasks, follow one, cancel one. */
import type { Context } from '@parley/kit';
import { defineToolFor, detach } from '@parley/kit';
import * as z from 'zod';
import { nextChange } from '../engine/engine.ts';
import type { TaskServices } from '../services/tasks.ts';
import type { Task } from '../task.ts';
import { isFinal, ownerOf } from '../task.ts';
import { deliverQuestions } from './questions.ts';
import { TaskView, viewOf } from './shapes.ts';

const defineTool = defineToolFor<TaskServices>();
const taskId = z.string().min(1).describe('Id of the task');

/** Cancels a task of the caller, whichever tool made it. */
export const cancelTask = defineTool({
  name: 'cancel_task',
  title: 'Cancel a task',
  description: 'Cancels one of your tasks that is still running or waiting.',
  effect: 'update',
  hints: { idempotentHint: false },
  input: z.object({ taskId }),
  output: z.object({ taskId: z.string(), status: z.literal('cancelled') }),
  text: (output) => `Task ${output.taskId} cancelled`,
  async run(input, ctx) {
    const reason = `Cancelled by ${ctx.caller.name}.`;
    const before = await ctx.services.tasks.cancel(ownerOf(ctx.caller), input.taskId, reason);
    if (before === undefined) throw ctx.error('not_found', `Task not found: ${input.taskId}`);
    if (isFinal(before.status)) {
      throw ctx.error('conflict', `Task ${input.taskId} already finished (${before.status})`);
    }
    return { taskId: input.taskId, status: 'cancelled' as const };
  },
});

/** Shows a task, waiting for news of it if asked to. */
export const getTask = defineTool({
  name: 'get_task',
  title: 'Get a task',
  description:
    'Shows one of your tasks, and its result when it has ended. With waitMs it waits for the next change.',
  effect: 'read',
  input: z.object({
    taskId,
    waitMs: z.int().min(0).max(50_000).default(0).describe('Wait so long for the next change'),
  }),
  output: TaskView.extend({
    result: z.unknown().optional().describe('What the tool answered, when completed'),
    error: z.unknown().optional().describe('What went wrong, when failed'),
    openQuestions: z.array(z.string()).optional().describe('Questions that still wait for an answer'),
  }),
  async run(input, ctx) {
    let task = await requireTask(input.taskId, ctx);
    if (task.status === 'input_required') {
      await deliverQuestions(task, ctx);
      task = await requireTask(input.taskId, ctx);
    }
    if (!isFinal(task.status) && input.waitMs > 0) task = await waitForNews(task, input.waitMs, ctx);
    const questions = Object.keys(task.inputRequests);
    return {
      ...viewOf(task),
      ...(task.status === 'completed' && { result: task.result }),
      ...(task.status === 'failed' && { error: task.error }),
      ...(questions.length > 0 && { openQuestions: questions }),
    };
  },
});

/** Lists the caller's tasks, newest first. */
export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description: 'Lists your own tasks, newest first.',
  effect: 'read',
  input: z.object({
    status: TaskView.shape.status.optional().describe('Only tasks in this status'),
    limit: z.int().min(1).max(100).default(20).describe('How many at most'),
    cursor: z.string().optional().describe('nextCursor of the page before'),
  }),
  output: z.object({ tasks: z.array(TaskView), nextCursor: z.string().nullable(), hasMore: z.boolean() }),
  async run({ status, limit, cursor }, ctx) {
    const query = { limit, ...(status !== undefined && { status }), ...(cursor !== undefined && { cursor }) };
    const page = await ctx.services.tasks.list(ownerOf(ctx.caller), query);
    return { tasks: page.tasks.map(viewOf), nextCursor: page.nextCursor, hasMore: page.nextCursor !== null };
  },
});

async function requireTask(id: string, ctx: Context<TaskServices>): Promise<Task> {
  const task = await ctx.services.tasks.get(ownerOf(ctx.caller), id);
  if (task === undefined) throw ctx.error('not_found', `Task not found: ${id}`);
  return task;
}

async function waitForNews(task: Task, waitMs: number, ctx: Context<TaskServices>): Promise<Task> {
  const { tasks } = ctx.services;
  const stop = AbortSignal.any([AbortSignal.timeout(waitMs), ctx.signal]);
  const unwatch = tasks.watch(task.id, (change) => {
    if (change.kind !== 'progress') return;
    const { done, total, message } = change.progress;
    detach(ctx.progress(done, total ?? undefined, message ?? undefined), (error) => {
      // A notice to a client that has gone fails, and is missed by nobody.
      if (!ctx.signal.aborted) tasks.onFault(error, 'task progress');
    });
  });
  try {
    const changed = nextChange(tasks, task.id, stop);
    const latest = await requireTask(task.id, ctx);
    if (latest.updatedAt === task.updatedAt && latest.status === task.status)
      await tasks.spending.wait('purpose', 'task', changed);
    const news = await requireTask(task.id, ctx);
    // Work in another process is seen by what it has stored.
    if (news.progress !== null)
      await ctx.progress(
        news.progress.done,
        news.progress.total ?? undefined,
        news.statusMessage ?? undefined,
      );
    return news;
  } finally {
    unwatch();
  }
}
