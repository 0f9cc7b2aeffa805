/** Cancelling: a waiting task ends at once, a running one is told, its children go with it. */
import type { StoreTransaction } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import { finish } from './finish.ts';
import { CANCEL } from './worker.ts';

/** Cancels the row and its unfinished children; answers the ids that are still running somewhere. */
export async function cancelRow(
  tx: StoreTransaction,
  row: TaskRow,
  reason: string,
  now: number,
  limits: TaskLimits,
): Promise<string[]> {
  const running: string[] = [];
  if (row.state === 'running') {
    await tx
      .db<TaskTables>()
      .updateTable('tasks')
      .set({ cancel_reason: reason })
      .where('id', '=', row.id)
      .execute();
    await tx.signal(CANCEL, row.id);
    running.push(row.id);
  } else if (row.state !== 'final') {
    await finish(tx, row, { outcome: 'cancelled', reason }, now, limits);
  }
  const children = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .selectAll()
    .where('parent_id', '=', row.id)
    .where('state', '!=', 'final')
    .execute();
  for (const child of children) running.push(...(await cancelRow(tx, child, reason, now, limits)));
  return running;
}
