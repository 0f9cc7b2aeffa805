/** The events of tasks, from what the task engine tells in the transaction of each change. */
import type { TaskHappening } from '@parley/tasks';
import * as z from 'zod';
import type { NewEvent } from '../cloud-event.ts';
import { defineEvent } from '../define-event.ts';

// Neither what a task was given nor what it found: both may hold what only its owner should see.
const Data = z.object({
  id: z.string(),
  kind: z.string().describe('The tool, or the kind of work'),
  ownerId: z.string().describe('The caller who has it'),
});

const define = (what: TaskHappening['what'], when: string) =>
  defineEvent({ type: `task.${what}`, when, data: Data });

const BY_WHAT = {
  created: define('created', 'a call became a task'),
  input_required: define('input_required', 'it asks its owner something'),
  completed: define('completed', 'it has a result'),
  failed: define('failed', 'it ended without one'),
  cancelled: define('cancelled', 'it was cancelled'),
} satisfies Record<TaskHappening['what'], unknown>;

/** All of them, for documents. */
export const TASK_EVENTS = Object.values(BY_WHAT);

/** The event of a happening. */
export function taskEvent({ what, taskId, organizationId, ownerId, kind }: TaskHappening): NewEvent {
  return BY_WHAT[what].of({ organizationId, subject: taskId, data: { id: taskId, kind, ownerId } });
}
