/** The ends of a task: each happens once, in one transaction with its announcement. */
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskFault } from '../task.ts';
import { notBefore, oneLine } from './rows.ts';

/** How a task ends. */
export type Ending =
  | { readonly outcome: 'completed'; readonly result: unknown }
  | { readonly outcome: 'failed'; readonly error: TaskFault }
  | { readonly outcome: 'cancelled'; readonly reason: string };

/** Thrown when a worker writes for a task that is no longer its own. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Writes the end of a task that is held under `fence`, and returns which it was; throws when it is held no more. */
export async function finish(
  tx: StoreTransaction,
  task: Pick<TaskRow, 'id' | 'fence' | 'created_at' | 'ttl_ms'>,
  ending: Ending,
  now: number,
  limits: TaskLimits,
): Promise<Ending['outcome']> {
  const stored = storable(ending, limits);
  const written = await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ ...endOf(stored), ...endTimes(task, now, limits) })
    .where('id', '=', task.id)
    .where('fence', '=', task.fence)
    .where('state', '!=', 'final')
    .returning('id')
    .executeTakeFirst();
  if (written === undefined) throw new LeaseLost();
  return stored.outcome;
}

type StoredEnding = Exclude<Ending, { outcome: 'completed' }> | { outcome: 'completed'; result: string };

/** What can be kept of an ending: a result that is too large or no JSON is a fault. */
function storable(ending: Ending, limits: TaskLimits): StoredEnding {
  if (ending.outcome !== 'completed') return ending;
  const fault = (message: string): StoredEnding => ({ outcome: 'failed', error: { code: -32603, message } });
  let result: string;
  try {
    result = toJson(ending.result);
  } catch {
    return fault('The result of the task cannot be written as JSON.');
  }
  if (Buffer.byteLength(result) <= limits.resultBytes) return { outcome: 'completed', result };
  return fault(`The result of the task has more than ${limits.resultBytes} bytes. Ask for less.`);
}

function endOf(ending: StoredEnding) {
  const base = { state: 'final' as const, outcome: ending.outcome, worker_id: null, lease_until: null };
  if (ending.outcome === 'completed') return { ...base, result: ending.result };
  if (ending.outcome === 'failed')
    return { ...base, error: toJson(ending.error), status_message: oneLine(ending.error.message) };
  return { ...base, status_message: oneLine(ending.reason) };
}

function endTimes(task: Pick<TaskRow, 'created_at' | 'ttl_ms'>, now: number, limits: TaskLimits) {
  const expiresAt = Math.max(task.created_at + task.ttl_ms, now + limits.keepFinishedMs);
  // What the client is told must not promise less than what is kept.
  return {
    updated_at: notBefore(now),
    finished_at: now,
    expires_at: expiresAt,
    ttl_ms: expiresAt - task.created_at,
  };
}
