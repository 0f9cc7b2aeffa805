/** Retention of the audit log, where one is set: the oldest entries of a chain go, and it is known where it begins then. */
import type { Store, StoreTransaction } from '@parley/store';
import { inBatches } from '@parley/store';
import type { IdentityTables } from '../schema.ts';

const BATCH = 200;
const SWEEP = 'audit.sweep';

/** Removes the entries that were written before a time; the newest of each organization stays. */
export async function sweepAudit(store: Store, before: number): Promise<void> {
  const heads = await store
    .db<IdentityTables>()
    .selectFrom('audit_heads')
    .select('organization_id')
    .execute();
  for (const { organization_id: id } of heads) await inBatches(store, (tx) => dropSome(tx, id, before));
}

/** One replica at a time is at it. */
async function dropSome(
  tx: StoreTransaction,
  organizationId: string,
  before: number,
): Promise<'more' | 'done'> {
  if (!(await tx.tryExclusive(SWEEP))) return 'done';
  const db = tx.db<IdentityTables>();
  const rows = await oldest(tx, organizationId);
  // Clocks may have been set back: what follows a younger entry waits for it.
  const kept = rows.findIndex(({ at }, index) => at >= before || index === rows.length - 1);
  const first = rows[kept];
  if (kept <= 0 || first === undefined) return 'done';
  await db
    .deleteFrom('audit_log')
    .where('organization_id', '=', organizationId)
    .where('seq', '<', first.seq)
    .execute();
  await db
    .updateTable('audit_heads')
    .set({ first_seq: first.seq, first_prev_hash: first.prev_hash })
    .where('organization_id', '=', organizationId)
    .execute();
  return rows.length > BATCH && kept === BATCH ? 'more' : 'done';
}

function oldest(tx: StoreTransaction, organizationId: string) {
  return tx
    .db<IdentityTables>()
    .selectFrom('audit_log')
    .select(['seq', 'at', 'prev_hash'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .limit(BATCH + 1)
    .execute();
}
