/** Leases: renewed while a worker lives, given back when it stops, taken away when it is gone. */
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskRow, TaskTables } from '../schema.ts';
import { READY } from './changes.ts';

/** What a worker learns of a task that it holds. */
export type HeldTask = Pick<TaskRow, 'id' | 'fence' | 'cancel_reason'>;

/** Renews the leases of a worker in one statement; returns the tasks that are still its own. */
export async function renewLeases(
  store: Store,
  workerId: string,
  taskIds: readonly string[],
  until: number,
): Promise<HeldTask[]> {
  const renewed = await store.transaction((tx) => {
    const db = tx.db<TaskTables>();
    const mine = db
      .selectFrom('tasks')
      .select('id')
      .where('id', 'in', taskIds)
      .where('worker_id', '=', workerId)
      .where('state', '=', 'running');
    return (
      db
        .updateTable('tasks')
        .set({ lease_until: until })
        // A row that someone writes right now is left for the next time; waiting for it could be waiting in a circle.
        .where('id', 'in', tx.locked(mine, { skipHeld: true }))
        .returning(['id', 'fence', 'cancel_reason'])
        .execute()
    );
  });
  const skipped = taskIds.filter((id) => !renewed.some((row) => row.id === id));
  if (skipped.length === 0) return renewed;
  const still = await store
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['id', 'fence', 'cancel_reason'])
    .where('id', 'in', skipped)
    .where('worker_id', '=', workerId)
    .where('state', '=', 'running')
    .execute();
  return [...renewed, ...still];
}

/** Gives a task back untouched; the next worker goes on with it. */
export async function releaseTask(
  store: Store,
  task: Pick<TaskRow, 'id' | 'fence'>,
  now: number,
): Promise<void> {
  await store.transaction(async (tx) => {
    await tx
      .db<TaskTables>()
      .updateTable('tasks')
      .set({ state: 'ready', worker_id: null, lease_until: null, due_at: now, fence: task.fence + 1 })
      .where('id', '=', task.id)
      .where('fence', '=', task.fence)
      .where('state', '=', 'running')
      .execute();
    await tx.signal(READY);
  });
}

/** Takes tasks away from workers that are gone; the new number refuses whatever they still write. */
export async function releaseLapsed(tx: StoreTransaction, now: number): Promise<void> {
  const db = tx.db<TaskTables>();
  const lapsed = db
    .selectFrom('tasks')
    .select('id')
    .where('state', '=', 'running')
    .where('lease_until', '<', now);
  await db
    .updateTable('tasks')
    .set((row) => ({
      state: 'ready',
      worker_id: null,
      lease_until: null,
      due_at: now,
      crashes: row('crashes', '+', 1),
      fence: row('fence', '+', 1),
    }))
    .where('id', 'in', tx.locked(lapsed, { skipHeld: true }))
    .execute();
  await tx.signal(READY);
}
