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

/** The handle of a task; a tool may shape its own. */
export function handleOf(tool: CatalogTool, input: unknown, task: Task, now: number): CallToolResult {
  const { id: taskId, createdAt, progress } = task;
  const own = tool.taskOptions.handle?.(input, { taskId, createdAt, done: progress?.done ?? 0 });
  if (own !== undefined) {
    return {
      content: [{ type: 'text', text: own.text }],
      // An output is an object by the tool's own schema.
      structuredContent: own.output as Record<string, unknown>,
    };
  }
  const message = `The work goes on as task ${task.id}. Call get_task with this taskId to follow it and to get the result.`;
  const handle: z.output<typeof Handle> = {
    taskId: task.id,
    status: task.status,
    message,
    pollIntervalMs: pollIntervalMs(task, now),
  };
  return { content: [{ type: 'text', text: message }], structuredContent: handle };
}
