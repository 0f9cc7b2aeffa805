/** Keys that agents are run with: each lasts while its run goes on, and those that ended long ago go. */
import type { Store } from '@parley/store';
import { inBatches } from '@parley/store';
import type { IdentityTables } from '../schema.ts';

const BATCH = 200;
const SWEEP = 'agent-keys.sweep';

/** Moves the end of an agent's key; one that was revoked stays so. */
export async function renewAgentKey(store: Store, keyId: string, expiresAt: number): Promise<void> {
  // Nobody is told: whoever remembers the end that the key had looks again when that has come.
  await store
    .db<IdentityTables>()
    .updateTable('api_keys')
    .set({ expires_at: expiresAt })
    .where('id', '=', keyId)
    .where('agent', 'is not', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Removes keys of agents that expired before a time; one replica at a time is at it. */
export async function sweepAgentKeys(store: Store, before: number): Promise<void> {
  await inBatches(store, async (tx) => {
    if (!(await tx.tryExclusive(SWEEP))) return 'done';
    const db = tx.db<IdentityTables>();
    const old = db
      .selectFrom('api_keys')
      .select('id')
      .where('agent', 'is not', null)
      .where('expires_at', '<', before)
      .limit(BATCH);
    const gone = await db.deleteFrom('api_keys').where('id', 'in', old).executeTakeFirst();
    return Number(gone.numDeletedRows) === BATCH ? 'more' : 'done';
  });
}
