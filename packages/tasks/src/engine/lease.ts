/** Leases: renewed while a worker lives, given back when it stops, taken away when it is gone. */
import type { Store, StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import type { TaskRow, TaskTables } from '../schema.ts';
import { changed, IS_READY, READY } from './changes.ts';
import { notShorter } from './rows.ts';

/** What a worker learns of a task that it holds. */
export type HeldTask = Pick<TaskRow, 'id' | 'fence' | 'cancel_reason'> & {
  /** False when somebody wrote its row just then: it has the lease that it had. */
  readonly isRenewed: boolean;
};

/** Renews the leases of a worker in one statement; returns the tasks that are still its own. */
export async function renewLeases(
  store: Store,
  workerId: string,
  { taskIds, until }: { readonly taskIds: readonly string[]; readonly until: number },
): Promise<HeldTask[]> {
  return store.transaction(
    async (tx) => {
      const db = tx.db<TaskTables>();
      const mine = db
        .selectFrom('tasks')
        .select('id')
        .where('id', 'in', taskIds)
        .where('worker_id', '=', workerId)
        .where('state', '=', 'running');
      const renewed = await db
        .updateTable('tasks')
        .set({ lease_until: notShorter(until) })
        // A row that someone writes right now is left for soon after; waiting for it could be waiting in a circle.
        .where('id', 'in', tx.locked(mine, { skipHeld: true }))
        .returning(['id', 'fence', 'cancel_reason'])
        .execute();
      const known = new Set(renewed.map(({ id }) => id));
      const skipped = taskIds.filter((id) => !known.has(id));
      const held = renewed.map((row) => ({ ...row, isRenewed: true }));
      if (skipped.length === 0) return held;
      const still = await db
        .selectFrom('tasks')
        .select(['id', 'fence', 'cancel_reason'])
        .where('id', 'in', skipped)
        .where('worker_id', '=', workerId)
        .where('state', '=', 'running')
        .execute();
      return [...held, ...still.map((row) => ({ ...row, isRenewed: false }))];
    },
    { lane: 'ending' },
  );
}

/** Gives a task back untouched, if it is still held; the next worker goes on with it from this time on. */
export async function releaseTask(
  store: Store,
  task: Pick<TaskRow, 'id' | 'fence'>,
  dueAt: number,
): Promise<void> {
  const release = async (tx: StoreTransaction) => {
    tx.last(
      tx
        .db<TaskTables>()
        .updateTable('tasks')
        .set({ state: 'ready', worker_id: null, lease_until: null, due_at: dueAt, fence: task.fence + 1 })
        .where('id', '=', task.id)
        .where('fence', '=', task.fence)
        .where('state', '=', 'running'),
    );
    await tx.signal(READY);
    const { topic, payload } = changed(task.id);
    // It may have ended, when the answer to that was lost.
    await tx.signal(topic, payload);
  };
  await store.transaction(release, { lane: 'ending' });
}

/** Workers that are gone, and until when their leases may run: one that was renewed since has somebody who lives. */
export interface GoneWorkers {
  readonly workerIds: readonly string[];
  readonly leaseUntil: number;
}

/**
 * Takes tasks away from workers that are gone; the new number refuses whatever they still write. What runs here is left
 * out: after a pause of the whole process its own leases look lapsed before it could renew them. Returns how many it took.
 */
export async function releaseLapsed(
  store: Store,
  {
    now,
    runningHere,
    areCrashes,
    gone,
  }: {
    readonly now: number;
    readonly runningHere: readonly string[];
    /** Whether it counts against the tasks that their workers do not hold them any more. */
    readonly areCrashes: boolean;
    readonly gone?: GoneWorkers;
  },
): Promise<number> {
  const lapsed = store
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('id')
    .where('state', '=', sql.lit('running'))
    .where((row) =>
      gone === undefined
        ? row('lease_until', '<', now)
        : row.and([row('worker_id', 'in', gone.workerIds), row('lease_until', '<', gone.leaseUntil)]),
    )
    .$if(runningHere.length > 0, (query) => query.where('id', 'not in', runningHere));
  // A look without a lock first: mostly there is nothing to take.
  if ((await lapsed.limit(1).executeTakeFirst()) === undefined) return 0;
  let taken = 0;
  const release = async (tx: StoreTransaction) => {
    tx.last(
      tx
        .db<TaskTables>()
        .updateTable('tasks')
        .set((row) => ({
          state: 'ready',
          worker_id: null,
          lease_until: null,
          due_at: now,
          crashes: row('crashes', '+', areCrashes ? 1 : 0),
          fence: row('fence', '+', 1),
        }))
        .where('id', 'in', tx.locked(lapsed, { skipHeld: true }))
        .returning('id'),
      (rows) => {
        taken = rows.length;
        return [IS_READY];
      },
    );
  };
  await store.transaction(release, { lane: 'ending' });
  return taken;
}
