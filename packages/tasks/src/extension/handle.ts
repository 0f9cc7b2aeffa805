/** The handle: an ordinary tool result that stands for a task that is still running. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CatalogTool, JsonSchema } from '@parley/kit';
import * as z from 'zod';
import type { Task } from '../task.ts';
import { pollIntervalMs } from './wire.ts';

const Handle = z.object({
  taskId: z.string().describe('Pass it to get_task'),
  status: z.string().describe('Where the task stands'),
  message: z.string().describe('What to do next'),
  pollIntervalMs: z.int().describe('How long to wait before asking again'),
});

/** The schema of a handle, as task-capable tools publish it beside their own output. */
export function handleSchema(): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(Handle, { io: 'output' });
  return schema;
}

/** The handle for somebody who cannot follow the task, and comes back for its result. */
export function waitingHandleOf(tool: CatalogTool, task: Task, now: number): CallToolResult {
  const message = `Not done yet. Call ${tool.name} again with the same arguments to go on waiting; nothing is done twice.`;
  const status = 'working' as const;
  return plain({ taskId: task.id, status, message, pollIntervalMs: pollIntervalMs(task, now) });
}

/** The handle of a task; a tool may shape its own. */
export function handleOf(tool: CatalogTool, input: unknown, task: Task, now: number): CallToolResult {
  const { id: taskId, createdAt, progress } = task;
  const isAsking = task.status === 'input_required';
  const status = isAsking ? ('input_required' as const) : ('working' as const);
  const message = nextStep(taskId, isAsking);
  const follow = { taskId, status, message, pollIntervalMs: pollIntervalMs(task, now) };
  const own = tool.taskOptions.handle?.(input, { ...follow, createdAt, done: progress?.done ?? 0 });
  if (own !== undefined) {
    return {
      content: [{ type: 'text', text: own.text }],
      // An output is an object by the tool's own schema.
      structuredContent: own.output as Record<string, unknown>,
    };
  }
  return plain(follow);
}

function plain(handle: z.output<typeof Handle>): CallToolResult {
  return { content: [{ type: 'text', text: handle.message }], structuredContent: handle };
}

function nextStep(taskId: string, isAsking: boolean): string {
  return isAsking
    ? `Task ${taskId} has a question. Call get_task with this taskId to answer it and to get the result.`
    : `The work goes on as task ${taskId}. Call get_task with this taskId to follow it and to get the result.`;
}
