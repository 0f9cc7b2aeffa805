/** Retention: finished tasks go when their time is over, tasks nobody can run are given up. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskTables } from '../schema.ts';
import { finish } from './finish.ts';
import type { KnownKind } from './claim.ts';

const BATCH = 200;
const PURGE_LOCK = 0x7075_7267;

/** Deletes one batch of expired tasks; true when there may be more. */
export async function purgeBatch(store: Store, now: number): Promise<boolean> {
  return store.transaction(async (tx) => {
    if (store.engine === 'postgres') {
      const lock = await sql<{
        held: boolean;
      }>`select pg_try_advisory_xact_lock(${PURGE_LOCK}) as held`.execute(tx.db());
      if (lock.rows[0]?.held !== true) return false;
    }
    const db = tx.db<TaskTables>();
    const expired = await db
      .selectFrom('tasks')
      .select('id')
      .where('state', '=', 'final')
      .where('expires_at', '<', now)
      .limit(BATCH)
      .execute();
    const ids = expired.map(({ id }) => id);
    if (ids.length > 0) await db.deleteFrom('tasks').where('id', 'in', ids).execute();
    return ids.length === BATCH;
  });
}

/** Fails tasks that waited a day for a worker that knows their kind and version. */
export async function giveUpOrphans(
  store: Store,
  kinds: readonly KnownKind[],
  now: number,
  limits: TaskLimits,
): Promise<void> {
  const isKnown = new Set(kinds.map(({ kind, version }) => `${kind} ${version}`));
  const old = await store
    .db<TaskTables>()
    .selectFrom('tasks')
    .selectAll()
    .where('state', '=', 'ready')
    .where('due_at', '<', now - limits.orphanMs)
    .limit(BATCH)
    .execute();
  for (const row of old) {
    if (isKnown.has(`${row.kind} ${row.kind_version}`)) continue;
    const message = `No worker knows version ${row.kind_version} of "${row.kind}" any more.`;
    await store.transaction((tx) =>
      finish(tx, row, { outcome: 'failed', error: { code: -32603, message } }, now, limits),
    );
  }
}
