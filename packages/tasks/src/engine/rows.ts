/** From rows to tasks. */
import { fromJson } from '@parley/store';
import type { TaskInputRow, TaskRow } from '../schema.ts';
import type { Task, TaskFault, TaskStatus } from '../task.ts';

/** The task that a row and its open questions make. */
export function toTask(row: TaskRow, open: readonly Pick<TaskInputRow, 'input_key' | 'request'>[]): Task {
  const status = statusOf(row);
  return {
    id: row.id,
    organizationId: row.organization_id,
    ownerId: row.owner_id,
    kind: row.kind,
    status,
    statusMessage: row.status_message,
    progress: row.progress_done === null ? null : { done: row.progress_done, total: row.progress_total },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
    ttlMs: row.ttl_ms,
    expiresAt: row.expires_at,
    input: fromJson<unknown>(row.input),
    inputRequests:
      status === 'input_required'
        ? Object.fromEntries(open.map(({ input_key, request }) => [input_key, fromJson<unknown>(request)]))
        : {},
    result: row.result === null ? null : fromJson<unknown>(row.result),
    error: row.error === null ? null : fromJson<TaskFault>(row.error),
  };
}

/** What clients see of where a task stands. */
export function statusOf(row: Pick<TaskRow, 'state' | 'outcome'>): TaskStatus {
  if (row.state === 'final') return row.outcome ?? 'failed';
  return row.state === 'asking' ? 'input_required' : 'working';
}
