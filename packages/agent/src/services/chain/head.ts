/** The head of a chain: its last entry, sealed beside it, so that entries that are cut off are missed. */
import type { Queryable, SecretBox, StoreTransaction } from '@parley/store';
import type { ChainRow, ChainTables } from './schema.ts';

/** Where a chain ends. */
export type Head = Pick<ChainRow, 'seq' | 'hash'>;

/** Undefined where there is none, or none that this server sealed for this agent. */
export async function headOf(
  from: Queryable,
  agentId: string,
  secrets: SecretBox,
): Promise<Head | undefined> {
  const row = await from
    .db<ChainTables>()
    .selectFrom('agent_chain_heads')
    .select(['organization_id', 'head'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  try {
    const [seq = '', hash = ''] = secrets.open(row.head, contextOf(row.organization_id, agentId)).split(' ');
    return { seq: Number(seq), hash };
  } catch {
    return undefined; // whoever changed it is told by the check
  }
}

export async function saveHead(
  tx: StoreTransaction,
  { organization_id, agent_id, seq, hash, created_at: at }: ChainRow,
  secrets: SecretBox,
): Promise<void> {
  const head = secrets.seal(`${seq} ${hash}`, contextOf(organization_id, agent_id));
  await tx
    .db<ChainTables>()
    .insertInto('agent_chain_heads')
    .values({ organization_id, agent_id, head, created_at: at, updated_at: at })
    .onConflict((taken) => taken.column('agent_id').doUpdateSet({ organization_id, head, updated_at: at }))
    .execute();
}

const contextOf = (organizationId: string, agentId: string) => ({
  organizationId,
  rowId: `chain-head:${agentId}`,
});

/** What the next entry stands on: where entries are missing it stays apart from those that are left. */
export function endOf(head: Head | undefined, last: Head | undefined): Head | undefined {
  if (head === undefined) return last;
  return { seq: Math.max(head.seq, last?.seq ?? 0), hash: head.hash };
}

/** The first entry that is not as the head says; undefined: the chain ends where it should. */
export function brokenEnd(head: Head | undefined, last: Head): number | undefined {
  // A chain without entries has no head.
  if (head === undefined) return last.seq === 0 ? undefined : last.seq;
  if (head.seq !== last.seq) return Math.min(head.seq, last.seq) + 1;
  return head.hash === last.hash ? undefined : last.seq;
}
