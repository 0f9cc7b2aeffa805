/** The word of people on what schedules want to do. */
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { approvalsNeeded } from './approval.ts';
import { startPending } from './executions.ts';
import type { ScheduleParts } from './parts.ts';
import type { Whose } from './rows.ts';
import { findSchedule, iso, snapshotOf } from './rows.ts';
import type { ExecutionRow, ExecutionStatus, ScheduleAction, ScheduleTables } from './schema.ts';

/** An execution as people see it. */
export interface Execution {
  readonly id: string;
  readonly schedule_id: string;
  readonly schedule: string;
  readonly agent_id: string;
  readonly actions: readonly ScheduleAction[];
  readonly status: ExecutionStatus;
  /** How many have approved, and how many have to. */
  readonly approvals: number;
  readonly approvals_needed: number;
  readonly due_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly result: string | null;
}

/** Which executions are wanted. */
export interface ExecutionQuery {
  readonly status?: ExecutionStatus | undefined;
  readonly limit: number;
  /** The id of the last one that was seen. */
  readonly before?: string | undefined;
}

export interface Approvals {
  /** The newest first. */
  list(organizationId: string, query: ExecutionQuery): Promise<Execution[]>;
  /** Those of one schedule of an agent, also of a deleted one. */
  of(whose: Whose, scheduleId: string, query: ExecutionQuery): Promise<Execution[]>;
  /** One more yes; the last that is needed starts it. */
  approve(by: Caller, id: string): Promise<Execution>;
  /** It never runs. */
  deny(by: Caller, id: string): Promise<Execution>;
}

export function createApprovals(parts: ScheduleParts): Approvals {
  const { store, identity, now } = parts;

  async function people(organizationId: string): Promise<number> {
    return identity.countMembers(organizationId, { hasTeamRank: true });
  }

  /** Answers for somebody, in one transaction with its entry in the audit log. */
  async function answer(
    by: Caller,
    id: string,
    {
      action,
      decide,
    }: { action: string; decide: (row: ExecutionRow, count: number) => Partial<ExecutionRow> },
  ): Promise<Execution> {
    const count = await people(by.organizationId);
    return store.transaction(async (tx) => {
      const row = await holdExecution(tx, by.organizationId, id);
      if (row.status !== 'waiting')
        throw new ToolError('conflict', `The execution is ${row.status} and waits for nobody's word.`);
      const next: ExecutionRow = { ...row, ...decide(row, count), updated_at: now() };
      await tx
        .db<ScheduleTables>()
        .updateTable('schedule_executions')
        .set(next)
        .where('id', '=', id)
        .execute();
      const started = next.status === 'pending' ? await startPending(parts, tx, by.organizationId) : [];
      const changed = { schedule: row.schedule_id, status: next.status };
      await identity.audit.write(tx, { caller: by, action, target: id, changed });
      const begun = started.includes(id) && ({ status: 'running', started_at: now() } as const);
      return shown({ ...next, ...begun }, count);
    });
  }

  /** Ids begin with the time, so that their order is that of the making. */
  async function found(
    organizationId: string,
    { status, limit, before, scheduleId }: ExecutionQuery & { readonly scheduleId?: string },
  ): Promise<Execution[]> {
    let query = store
      .db<ScheduleTables>()
      .selectFrom('schedule_executions')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('id', 'desc')
      .limit(limit);
    if (status !== undefined) query = query.where('status', '=', status);
    if (before !== undefined) query = query.where('id', '<', before);
    if (scheduleId !== undefined) query = query.where('schedule_id', '=', scheduleId);
    const rows = await query.execute();
    // Mostly nothing waits, and nobody has to be counted for it.
    const count = rows.length === 0 ? 0 : await people(organizationId);
    return rows.map((row) => shown(row, count));
  }

  return {
    list: found,
    async of(whose, scheduleId, query) {
      await findSchedule(store, whose, scheduleId);
      return found(whose.organizationId, { ...query, scheduleId });
    },
    async approve(by, id) {
      requireLasting(by, 'approvals');
      return answer(by, id, {
        action: 'execution.approved',
        decide(row, count) {
          const approved = [...new Set([...approversOf(row), by.userId ?? by.id])];
          const isEnough = approved.length >= approvalsNeeded(row.approval, count);
          return { approvals: toJson(approved), ...(isEnough && { status: 'pending' }) };
        },
      });
    },
    deny: (by, id) =>
      answer(by, id, {
        action: 'execution.denied',
        decide: () => ({ status: 'denied', finished_at: now() }),
      }),
  };
}

async function holdExecution(
  tx: StoreTransaction,
  organizationId: string,
  id: string,
): Promise<ExecutionRow> {
  const query = tx
    .db<ScheduleTables>()
    .selectFrom('schedule_executions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) throw new ToolError('not_found', 'Execution not found');
  return row;
}

const approversOf = ({ approvals }: ExecutionRow) => fromJson<string[]>(approvals);

function shown(row: ExecutionRow, people: number): Execution {
  const { name, actions } = snapshotOf(row);
  return {
    id: row.id,
    schedule_id: row.schedule_id,
    schedule: name,
    agent_id: row.agent_id,
    actions,
    status: row.status,
    approvals: approversOf(row).length,
    approvals_needed: approvalsNeeded(row.approval, people),
    due_at: iso(row.due_at),
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
    result: row.result,
  };
}
