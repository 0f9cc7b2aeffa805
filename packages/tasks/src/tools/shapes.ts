/** The shapes that the tools of this toolset answer with. */
import * as z from 'zod';
import type { Task } from '../task.ts';

/** A task as the helper tools show it. */
export const TaskView = z.object({
  taskId: z.string(),
  tool: z.string().describe('The tool that made the task'),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  message: z.string().nullable(),
  progress: z.object({ done: z.number(), total: z.number().nullable() }).nullable(),
  createdAt: z.iso.datetime(),
  lastUpdatedAt: z.iso.datetime(),
});

/** Shows a task. */
export function viewOf(task: Task): z.output<typeof TaskView> {
  return {
    taskId: task.id,
    tool: task.kind.replace(/^tool:/, ''),
    status: task.status,
    message: task.statusMessage,
    progress: task.progress,
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
  };
}
