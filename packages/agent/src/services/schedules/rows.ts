/** Schedules and executions as rows: which an agent has, and how they are shown. */
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Acting } from '../../session.ts';
import type { ExecutionRow, ScheduleConfig, ScheduleRow, ScheduleTables, Snapshot } from './schema.ts';

/** Whose schedules they are. */
export type Whose = Pick<Acting, 'organizationId' | 'agentId'>;

/** A schedule of the agent. */
function schedules(on: Queryable, { organizationId, agentId }: Whose) {
  return on
    .db<ScheduleTables>()
    .selectFrom('agent_schedules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('agent_id', '=', agentId);
}

/** The schedules of an agent, the oldest first. */
export function schedulesOf(on: Queryable, whose: Whose): Promise<ScheduleRow[]> {
  return schedules(on, whose).where('deleted_at', 'is', null).orderBy('created_at').orderBy('id').execute();
}

/** The schedule, also a deleted one: its history is still there. */
export async function findSchedule(on: Queryable, whose: Whose, id: string): Promise<ScheduleRow> {
  const row = await schedules(on, whose).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw noSchedule();
  return row;
}

/** The schedule, held until the transaction ends. */
export async function holdSchedule(tx: StoreTransaction, whose: Whose, id: string): Promise<ScheduleRow> {
  const query = schedules(tx, whose).where('id', '=', id).where('deleted_at', 'is', null);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) throw noSchedule();
  return row;
}

export function noSchedule(): ToolError {
  return new ToolError('not_found', 'Schedule not found');
}

export async function writeSchedule(
  tx: StoreTransaction,
  id: string,
  change: Partial<ScheduleRow>,
): Promise<void> {
  await tx.db<ScheduleTables>().updateTable('agent_schedules').set(change).where('id', '=', id).execute();
}

export const configOf = ({ config }: Pick<ScheduleRow, 'config'>) => fromJson<ScheduleConfig>(config);
export const snapshotOf = ({ snapshot }: Pick<ExecutionRow, 'snapshot'>) => fromJson<Snapshot>(snapshot);

/** A time as people read it. */
export function iso(at: number): string;
export function iso(at: number | null): string | null;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The words for what an execution does. */
export function typesOf(row: Pick<ExecutionRow, 'snapshot'>): string {
  const types = snapshotOf(row).actions.map(({ type }) => type);
  return [...new Set(types)].join(', ');
}
