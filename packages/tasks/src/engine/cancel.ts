/** Cancelling: a waiting task ends at once, a running one is told, its children go with it. */
import type { StoreTransaction } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import { CANCEL } from './changes.ts';
import { finish } from './finish.ts';
import { lockTask } from './rows.ts';

export interface CancelOptions {
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly reason: string;
  readonly now: number;
}

/** Cancels a locked row and its unfinished children; returns the ids that are still running somewhere. */
export async function cancelRow(
  tx: StoreTransaction,
  row: TaskRow,
  options: CancelOptions,
): Promise<string[]> {
  const { changes, limits, reason, now } = options;
  const running: string[] = [];
  if (row.state === 'running') {
    // The first reason stays: it is the one that the work is being stopped for.
    if (row.cancel_reason === null) await writeReason(tx, row.id, reason);
    await tx.signal(CANCEL, row.id);
    running.push(row.id);
  } else if (row.state !== 'final') {
    await finish(tx, row, { outcome: 'cancelled', reason }, now, limits);
    await changes.announce(tx, row.id);
    await changes.happened(tx, row, 'cancelled');
  }
  const children = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('id')
    .where('parent_id', '=', row.id)
    .where('state', '!=', 'final')
    .execute();
  for (const { id } of children) {
    const child = await lockTask(tx, id);
    if (child !== undefined) running.push(...(await cancelRow(tx, child, options)));
  }
  return running;
}

async function writeReason(tx: StoreTransaction, taskId: string, reason: string): Promise<void> {
  await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ cancel_reason: reason })
    .where('id', '=', taskId)
    .execute();
}
