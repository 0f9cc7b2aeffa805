/** Retention: finished tasks go when their time is over, tasks nobody can run are given up. */
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { inBatches } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskTables } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import type { Kind } from './kinds.ts';
import { finish } from './finish.ts';
import { lockTask } from './rows.ts';

// Small, because a task takes its steps with it.
const BATCH = 20;
const PURGE = 'tasks.purge';

/** Deletes expired tasks in small batches, unless another replica is at it; the signal ends it after a batch. */
export async function purgeExpired(store: Store, now: number, signal: AbortSignal): Promise<void> {
  // A look first: where one writes at a time, a purge that finds nothing takes no turn.
  if ((await expired(store, { from: 0, now })).length > 0) await inBatches(store, purgeBatch(now), signal);
}

/** The oldest first: what is deleted stays in the index for a while, so each batch begins where the last one ended. */
function purgeBatch(now: number): (tx: StoreTransaction) => Promise<'more' | 'done'> {
  let from = 0;
  return async (tx) => {
    if (!(await tx.tryExclusive(PURGE))) return 'done';
    const old = await expired(tx, { from, now });
    from = old.at(-1)?.expires_at ?? from;
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) await tx.db<TaskTables>().deleteFrom('tasks').where('id', 'in', ids).execute();
    return ids.length === BATCH ? 'more' : 'done';
  };
}

function expired(on: Queryable, { from, now }: { readonly from: number; readonly now: number }) {
  return on
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['id', 'expires_at'])
    .where('state', '=', 'final')
    .where('expires_at', '>=', from)
    .where('expires_at', '<', now)
    .orderBy('expires_at')
    .limit(BATCH)
    .execute();
}

export interface OrphanOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly kinds: readonly Pick<Kind, 'kind' | 'version'>[];
  readonly limits: TaskLimits;
  readonly now: number;
}

/** Fails tasks that waited a day for a worker that knows their kind and version; true when there may be more. */
export async function giveUpOrphans(options: OrphanOptions): Promise<boolean> {
  const { store, changes, kinds, limits, now } = options;
  const lateAt = now - limits.orphanMs;
  const orphans = await store
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('id')
    .where('state', 'in', ['ready', 'asking'])
    .where('due_at', '<', lateAt)
    // One that waits for no time is due since it was made.
    .where('created_at', '<', lateAt)
    .where((where) =>
      where.not(where.or(kinds.map(({ kind, version }) => where.and({ kind, kind_version: version })))),
    )
    .limit(BATCH)
    .execute();
  for (const { id } of orphans) {
    await store.transaction(async (tx) => {
      const row = await lockTask(tx, id);
      // Someone else was here between the look and the lock.
      if (row === undefined || row.state === 'final' || row.state === 'running' || row.due_at >= lateAt)
        return;
      const message = `No worker knows version ${row.kind_version} of "${row.kind}" any more. Start the task again.`;
      const ending = { outcome: 'failed', error: { code: -32603, message } } as const;
      await finish(tx, [{ task: row, ending }], { changes, limits, now });
    });
  }
  return orphans.length === BATCH;
}
