/** A task as the extension writes it. */
import type { Task } from '../task.ts';

/** The capability under which both sides declare the extension. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const FIRST_MS = 500;
const LATER_MS = 2000;
const LATE_MS = 5000;

/** How long a client should wait before it asks again: longer, the older the task is. */
export function pollIntervalMs(task: Pick<Task, 'status' | 'createdAt'>, now: number): number {
  if (task.status === 'input_required') return LATER_MS;
  const ageMs = now - task.createdAt;
  if (ageMs < 10_000) return FIRST_MS;
  return ageMs < 120_000 ? LATER_MS : LATE_MS;
}

/** The fields that every answer about a task carries. */
export function wireTask(task: Task, now: number): Record<string, unknown> & { taskId: string } {
  return {
    taskId: task.id,
    status: task.status,
    ...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: pollIntervalMs(task, now),
  };
}

/** The whole task: with its questions, its result or its error, by status. */
export function wireTaskInFull(task: Task, now: number): Record<string, unknown> & { taskId: string } {
  return {
    ...wireTask(task, now),
    ...(task.status === 'input_required' && { inputRequests: task.inputRequests }),
    ...(task.status === 'completed' && { result: task.result }),
    ...(task.status === 'failed' && { error: task.error }),
  };
}
