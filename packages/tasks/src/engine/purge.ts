/** Retention: finished tasks go when their time is over, tasks nobody can run are given up. */
import type { Store } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskTables } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import type { Kind } from './kinds.ts';
import { finish } from './finish.ts';
import { lockTask } from './rows.ts';

// Small, because a task takes its steps with it and writers wait meanwhile.
const BATCH = 20;
const PURGE = 'tasks.purge';

/** Deletes one batch of expired tasks; true when there may be more. */
export async function purgeBatch(store: Store, now: number): Promise<boolean> {
  const db = store.db<TaskTables>();
  const expired = await db
    .selectFrom('tasks')
    .select('id')
    .where('state', '=', 'final')
    .where('expires_at', '<', now)
    .limit(BATCH)
    .execute();
  if (expired.length === 0) return false;
  const ids = expired.map(({ id }) => id);
  const isDone = await store.transaction(async (tx) => {
    if (!(await tx.tryExclusive(PURGE))) return false;
    await tx.db<TaskTables>().deleteFrom('tasks').where('id', 'in', ids).execute();
    return true;
  });
  return isDone && ids.length === BATCH;
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
