/** Executions: made once for each cause, started when there is a place, ended once. */
import { systemCaller, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { TaskOwner } from '@parley/tasks';
import { approvalOf } from './approval.ts';
import { askFor } from './approval-notice.ts';
import type { ScheduleParts } from './parts.ts';
import { configOf, writeSchedule } from './rows.ts';
import type { ExecutionRow, ExecutionStatus, ScheduleRow, ScheduleTables, Snapshot } from './schema.ts';

/** The kind of the durable task that an execution runs as. */
export const EXECUTION = 'agent.execution';

/** What such a task is told. */
export interface ExecutionInput {
  readonly executionId: string;
}

/** Executions of one organization that run at once. */
const PLACES = 2;
/** Failures in a row after which a schedule is paused. */
const MOST_FAILURES = 5;
const MAX_RESULT = 10_000;

/** Why an execution is made. */
export interface Cause {
  readonly dueAt: number;
  /** Empty: the clock; otherwise the id of what caused it. */
  readonly cause: string;
  readonly isSkipped?: boolean;
  readonly event?: Snapshot['event'];
}

/** Writes an execution of a held schedule, and starts it if nothing stands in the way; undefined when this cause had its own already. */
export async function addExecution(
  parts: ScheduleParts,
  tx: StoreTransaction,
  schedule: ScheduleRow,
  { dueAt, cause, event, isSkipped = false }: Cause,
): Promise<Pick<ExecutionRow, 'id' | 'status'> | undefined> {
  const now = parts.now();
  const { actions } = configOf(schedule);
  const approval = approvalOf(schedule, actions);
  const snapshot: Snapshot = { name: schedule.name, actions, depth: schedule.depth, event };
  const row: ExecutionRow = {
    id: typeId('exec', now),
    organization_id: schedule.organization_id,
    agent_id: schedule.agent_id,
    schedule_id: schedule.id,
    due_at: dueAt,
    cause,
    snapshot: toJson(snapshot),
    approval,
    approvals: toJson([]),
    status: isSkipped ? 'skipped' : approval === 'none' ? 'pending' : 'waiting',
    task_id: null,
    result: null,
    started_at: null,
    finished_at: isSkipped ? now : null,
    created_at: now,
    updated_at: now,
  };
  const made = await tx
    .db<ScheduleTables>()
    .insertInto('schedule_executions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['schedule_id', 'due_at', 'cause']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) return undefined;
  if (row.status === 'waiting') await askFor(parts, tx, row);
  if (row.status !== 'pending') return row;
  const started = await startPending(parts, tx, schedule.organization_id);
  return { id: row.id, status: started.includes(row.id) ? 'running' : 'pending' };
}

/** Starts what waits for a place, the oldest first, as long as there are places; returns the ids. */
export async function startPending(
  { tasks, now }: Pick<ScheduleParts, 'tasks' | 'now'>,
  tx: StoreTransaction,
  organizationId: string,
): Promise<string[]> {
  // One counts at a time: two would both find room for the last place.
  await tx.exclusive(`agent.executions ${organizationId}`);
  const db = tx.db<ScheduleTables>();
  const running = await db
    .selectFrom('schedule_executions')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'running')
    .limit(PLACES)
    .execute();
  if (running.length >= PLACES) return [];
  const next = await db
    .selectFrom('schedule_executions')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'pending')
    .orderBy('created_at')
    .orderBy('id')
    .limit(PLACES - running.length)
    .execute();
  for (const { id } of next) {
    const input: ExecutionInput = { executionId: id };
    const task = await tasks.enqueueIn(tx, {
      kind: EXECUTION,
      input,
      caller: callerOf(organizationId),
      capabilities: {},
      idempotencyKey: `${EXECUTION}:${id}`,
    });
    await db
      .updateTable('schedule_executions')
      .set({ status: 'running', task_id: task.id, started_at: now(), updated_at: now() })
      .where('id', '=', id)
      .execute();
  }
  return next.map(({ id }) => id);
}

// No person or key has this id, so none finds executions among its tasks, and no event tells of them.
const callerOf = (organizationId: string) => systemCaller('system_schedules', 'Schedules', organizationId);

/** Who owns the tasks of executions. */
export function executionOwner(organizationId: string): TaskOwner {
  return { organizationId, ownerId: callerOf(organizationId).id };
}

/** How an execution came out. */
export interface Outcome {
  readonly isOk: boolean;
  readonly text: string;
}

/** Ends an execution that runs, and counts it for its schedule. True: the schedule was paused for it. */
export function settle(parts: ScheduleParts, executionId: string, outcome: Outcome): Promise<boolean> {
  return parts.store.transaction(async (tx) => {
    const db = tx.db<ScheduleTables>();
    const found = await db
      .selectFrom('schedule_executions')
      .selectAll()
      .where('id', '=', executionId)
      .executeTakeFirst();
    if (found === undefined) return false;
    const query = db.selectFrom('agent_schedules').selectAll().where('id', '=', found.schedule_id);
    const schedule = await tx.locked(query).executeTakeFirst();
    const now = parts.now();
    const status: ExecutionStatus = outcome.isOk ? 'completed' : 'failed';
    const ended = await db
      .updateTable('schedule_executions')
      .set({ status, result: storable(outcome.text), finished_at: now, updated_at: now })
      .where('id', '=', executionId)
      .where('status', '=', 'running')
      .returning('id')
      .executeTakeFirst();
    // Ended by an earlier run that was cut off before it could say so.
    if (ended === undefined)
      return schedule?.status === 'auto_paused' && schedule.updated_at === found.finished_at;
    const isPaused = schedule !== undefined && (await count(tx, schedule, outcome.isOk, now));
    await startPending(parts, tx, found.organization_id);
    return isPaused;
  });
}

async function count(
  tx: StoreTransaction,
  schedule: ScheduleRow,
  isOk: boolean,
  now: number,
): Promise<boolean> {
  const failures = isOk ? 0 : schedule.failures + 1;
  const isPaused = schedule.status === 'active' && failures >= MOST_FAILURES;
  await writeSchedule(tx, schedule.id, {
    runs: schedule.runs + 1,
    failures,
    updated_at: now,
    ...(isPaused && { status: 'auto_paused', next_run_at: null }),
  });
  return isPaused;
}

/** Text that every database takes. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().slice(0, MAX_RESULT);
}
