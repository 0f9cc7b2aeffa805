/** Retention of keys that agents were run with: each run makes one, so those that ended long ago go. */
import type { Store } from '@parley/store';
import type { IdentityTables } from '../schema.ts';

const BATCH = 200;
const SWEEP = 'agent-keys.sweep';

/** Removes keys of agents that expired before a time. */
export async function sweepAgentKeys(store: Store, before: number): Promise<void> {
  // A turn of the event loop between two batches, so that writers get through.
  while ((await dropSome(store, before)) === BATCH) await new Promise(setImmediate);
}

/** One replica at a time is at it. */
function dropSome(store: Store, before: number): Promise<number> {
  return store.transaction(async (tx) => {
    if (!(await tx.tryExclusive(SWEEP))) return 0;
    const db = tx.db<IdentityTables>();
    const old = db
      .selectFrom('api_keys')
      .select('id')
      .where('agent', 'is not', null)
      .where('expires_at', '<', before)
      .limit(BATCH);
    const gone = await db.deleteFrom('api_keys').where('id', 'in', old).executeTakeFirst();
    return Number(gone.numDeletedRows);
  });
}
