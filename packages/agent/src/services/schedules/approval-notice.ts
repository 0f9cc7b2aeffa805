/** What the owner is told of an execution that waits for approval. */
import type { StoreTransaction } from '@parley/store';
import type { ScheduleParts } from './parts.ts';
import { snapshotOf } from './rows.ts';
import type { ExecutionRow, ScheduleTables } from './schema.ts';

/** How long an execution waits for a word. */
export const LAPSE_MS = 24 * 60 * 60_000;

/** Tells the owner that a new execution of a held schedule waits; not again while others of the schedule do. */
export async function askFor(parts: ScheduleParts, tx: StoreTransaction, row: ExecutionRow): Promise<void> {
  const earlier = await tx
    .db<ScheduleTables>()
    .selectFrom('schedule_executions')
    .select('id')
    .where('schedule_id', '=', row.schedule_id)
    .where('status', '=', 'waiting')
    .where('id', '!=', row.id)
    // What lapses is not known to wait any more.
    .where('created_at', '>', parts.now() - LAPSE_MS)
    .limit(1)
    .executeTakeFirst();
  if (earlier !== undefined) return;
  const { name, actions } = snapshotOf(row);
  const types = [...new Set(actions.map(({ type }) => type))].join(', ');
  const who = row.approval === 'council' ? 'Two people approve it' : 'Approve it';
  const notice = {
    organizationId: row.organization_id,
    agentId: row.agent_id,
    level: 'warning',
    title: `Waits for approval: ${name}`,
    message: `The schedule wants to do: ${types}. ${who} with "parley executions approve ${row.id}" or POST /api/executions/${row.id}/approve, or deny it with "deny" instead of "approve". "parley executions list" shows all that wait. Without an answer it lapses after 24 hours.`,
    key: `waiting ${row.id}`,
  } as const;
  await parts.notifyOwner(notice, tx);
}
