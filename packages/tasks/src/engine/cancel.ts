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
  { reason, ...options }: CancelOptions,
): Promise<string[]> {
  const running: string[] = [];
  const waiting: TaskRow[] = [];
  for (const found of await withChildren(tx, row)) {
    if (found.state === 'running') {
      // The first reason stays: it is the one that the work is being stopped for.
      if (found.cancel_reason === null) await writeReason(tx, found.id, reason);
      await tx.signal(CANCEL, found.id);
      running.push(found.id);
    } else if (found.state !== 'final') waiting.push(found);
  }
  // All that is told comes last and together: who publishes holds up others until the commit.
  if (waiting.length > 0)
    await finish(
      tx,
      waiting.map((task) => ({ task, ending: { outcome: 'cancelled', reason } })),
      options,
    );
  return running;
}

/** A locked row and its unfinished children, locked too. */
async function withChildren(tx: StoreTransaction, row: TaskRow): Promise<TaskRow[]> {
  const all = [row];
  const children = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('id')
    .where('parent_id', '=', row.id)
    .where('state', '!=', 'final')
    .orderBy('id')
    .execute();
  for (const { id } of children) {
    const child = await lockTask(tx, id);
    if (child !== undefined) all.push(...(await withChildren(tx, child)));
  }
  return all;
}

async function writeReason(tx: StoreTransaction, taskId: string, reason: string): Promise<void> {
  await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ cancel_reason: reason })
    .where('id', '=', taskId)
    .execute();
}
