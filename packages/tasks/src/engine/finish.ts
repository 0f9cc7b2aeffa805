/** The ends of a task: each happens once, in one transaction with its announcement. */
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskFault } from '../task.ts';

/** How a task ends. */
export type Ending =
  | { readonly outcome: 'completed'; readonly result: unknown }
  | { readonly outcome: 'failed'; readonly error: TaskFault }
  | { readonly outcome: 'cancelled'; readonly reason: string };

/** Thrown when a worker writes for a task that is no longer its own. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Writes the end of a task that is held under `fence`; throws when it is held no more. */
export async function finish(
  tx: StoreTransaction,
  task: Pick<TaskRow, 'id' | 'fence' | 'created_at' | 'ttl_ms'>,
  ending: Ending,
  now: number,
  limits: TaskLimits,
): Promise<void> {
  const written = await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ ...endOf(ending), ...endTimes(task, now, limits) })
    .where('id', '=', task.id)
    .where('fence', '=', task.fence)
    .where('state', '!=', 'final')
    .returning('id')
    .executeTakeFirst();
  if (written === undefined) throw new LeaseLost();
}

function endOf(ending: Ending) {
  const base = { state: 'final' as const, outcome: ending.outcome, worker_id: null, lease_until: null };
  if (ending.outcome === 'completed') return { ...base, result: toJson(ending.result) };
  if (ending.outcome === 'failed')
    return { ...base, error: toJson(ending.error), status_message: ending.error.message.slice(0, 500) };
  return { ...base, status_message: ending.reason.slice(0, 500) };
}

function endTimes(task: Pick<TaskRow, 'created_at' | 'ttl_ms'>, now: number, limits: TaskLimits) {
  const expiresAt = Math.max(task.created_at + task.ttl_ms, now + limits.keepFinishedMs);
  // What the client is told must not promise less than what is kept.
  return { updated_at: now, finished_at: now, expires_at: expiresAt, ttl_ms: expiresAt - task.created_at };
}
