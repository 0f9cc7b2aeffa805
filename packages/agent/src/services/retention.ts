/** How long what agents leave behind is kept: one rule for each table that grows, carried out in small batches. */
import type { Identity } from '@parley/identity';
import type { AnyTables, Store, StoreTransaction } from '@parley/store';
import { inBatches } from '@parley/store';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const QUARTER_MS = 90 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;
const BATCH = 500;
const SWEEP = 'agent.sweep';

/** Rows go when the moment in `since` lies that far back; those without one stay. */
interface Rule {
  readonly table: string;
  readonly since: string;
  readonly keepMs: number;
  readonly where?: readonly [column: string, operator: 'is' | 'in', value: null | readonly string[]];
}

// What belongs to a row goes with it: node runs, deliveries, dispatches. Chains, attestations and the movements of
// credits are proofs, which have to be whole; they go with their agent.
const RULES: readonly Rule[] = [
  { table: 'agent_messages', since: 'updated_at', keepMs: QUARTER_MS },
  { table: 'agent_messages', since: 'updated_at', keepMs: WEEK_MS, where: ['accepted_at', 'is', null] },
  { table: 'agent_watchers', since: 'until', keepMs: 0 },
  { table: 'agent_sessions', since: 'updated_at', keepMs: QUARTER_MS },
  { table: 'schedule_executions', since: 'finished_at', keepMs: QUARTER_MS },
  { table: 'agent_schedules', since: 'deleted_at', keepMs: QUARTER_MS },
  { table: 'workflow_runs', since: 'finished_at', keepMs: QUARTER_MS },
  { table: 'owner_notifications', since: 'created_at', keepMs: QUARTER_MS },
  { table: 'owner_questions', since: 'deadline_at', keepMs: QUARTER_MS },
  {
    table: 'agent_remote_tasks',
    since: 'updated_at',
    keepMs: WEEK_MS,
    where: ['state', 'in', ['completed', 'failed']],
  },
  { table: 'agent_remote_tasks', since: 'updated_at', keepMs: QUARTER_MS },
  // Scores and trends are made of these.
  { table: 'work_tasks', since: 'finished_at', keepMs: YEAR_MS },
  { table: 'reputation_events', since: 'created_at', keepMs: YEAR_MS },
  { table: 'health_snapshots', since: 'created_at', keepMs: YEAR_MS },
];

/** Deletes what is too old; where several processes try at once, one does it. */
export async function sweepOld(
  { store, identity }: { readonly store: Store; readonly identity: Pick<Identity, 'sweepAgentKeys'> },
  now: number,
): Promise<void> {
  for (const rule of RULES) await inBatches(store, (tx) => dropSome(tx, rule, now));
  await identity.sweepAgentKeys(now - WEEK_MS);
}

async function dropSome(
  tx: StoreTransaction,
  { table, since, keepMs, where }: Rule,
  now: number,
): Promise<'more' | 'done'> {
  if (!(await tx.tryExclusive(SWEEP))) return 'done';
  const db = tx.db<AnyTables>();
  let old = db
    .selectFrom(table)
    .select('id')
    .where(since, '<', now - keepMs)
    .limit(BATCH);
  if (where !== undefined) old = old.where(...where);
  const gone = await db.deleteFrom(table).where('id', 'in', old).executeTakeFirst();
  return Number(gone.numDeletedRows) === BATCH ? 'more' : 'done';
}
