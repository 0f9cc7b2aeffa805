/** The order of work tasks: one at a time in each project, and each change of where one stands in one transaction with what follows from it. */
import { systemCaller } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { WorkStatus, WorkTables, WorkTaskRow } from './schema.ts';

export const WORK_KIND = 'agent_work';
export const WORK_CHANGED = 'agent_work';
export const OPEN: readonly WorkStatus[] = ['pending', 'branching', 'running', 'validating'];
const TTL_MS = 30 * 24 * 3_600_000;

export interface QueueParts {
  readonly store: Store;
  readonly tasks: TaskEngine;
  readonly now: () => number;
}

/** A project of an organization. */
export interface Lane {
  readonly organizationId: string;
  readonly projectId: string;
}

export function isOpen({ status }: Pick<WorkTaskRow, 'status'>): boolean {
  return OPEN.includes(status);
}

export function laneOf({
  organization_id: organizationId,
  project_id: projectId,
}: Pick<WorkTaskRow, 'organization_id' | 'project_id'>): Lane {
  return { organizationId, projectId };
}

export function workOwner(organizationId: string) {
  return systemCaller('system_agent_work', 'Work tasks', organizationId);
}

export function findWork(from: Queryable, id: string): Promise<WorkTaskRow | undefined> {
  return from.db<WorkTables>().selectFrom('work_tasks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The open tasks of a project, in their order. */
export function openIn(from: Queryable, { organizationId, projectId }: Lane): Promise<WorkTaskRow[]> {
  return from
    .db<WorkTables>()
    .selectFrom('work_tasks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('status', 'in', OPEN)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Work that has begun, or is about to. */
export function hasTurn({ status, task_id: taskId }: Pick<WorkTaskRow, 'status' | 'task_id'>): boolean {
  return status !== 'pending' || taskId !== null;
}

function lock(tx: StoreTransaction, { projectId }: Lane): Promise<void> {
  return tx.exclusive(`agent work ${projectId}`);
}

/** Starts the next task of a project, unless one has its turn. */
export async function startNext(parts: QueueParts, tx: StoreTransaction, lane: Lane): Promise<void> {
  await lock(tx, lane);
  const open = await openIn(tx, lane);
  const [first] = open;
  if (first === undefined || open.some(hasTurn)) return;
  await carryOn(parts, tx, first, {});
}

/** Gives a task to whoever carries it out, with what has changed about it. */
export async function carryOn(
  { tasks, now }: QueueParts,
  tx: StoreTransaction,
  row: WorkTaskRow,
  change: Partial<WorkTaskRow>,
): Promise<void> {
  const task = await tasks.enqueueIn(tx, {
    kind: WORK_KIND,
    input: { id: row.id, ...laneOf(row) },
    caller: workOwner(row.organization_id),
    capabilities: {},
    ttlMs: TTL_MS,
  });
  await writeOpen(tx, row, { ...change, task_id: task.id, updated_at: now() });
}

/** Changes a task that is open; false when it is not any more. */
export async function changeOpen(
  { store, now }: QueueParts,
  row: WorkTaskRow,
  change: Partial<WorkTaskRow>,
): Promise<boolean> {
  return store.transaction((tx) => writeOpen(tx, row, { ...change, updated_at: now() }));
}

/** Ends a task, and lets the next one of its project begin; false when it had ended before. */
export async function endWork(
  parts: QueueParts,
  row: WorkTaskRow,
  end: Pick<WorkTaskRow, 'status' | 'error'>,
): Promise<boolean> {
  const at = parts.now();
  return parts.store.transaction(async (tx) => {
    // Before the row: whoever starts the next one takes them in this order.
    await lock(tx, laneOf(row));
    const gone = { task_id: null, claim_hash: null, lease_until: null };
    const isEnded = await writeOpen(tx, row, { ...end, ...gone, updated_at: at, finished_at: at });
    await startNext(parts, tx, laneOf(row));
    return isEnded;
  });
}

async function writeOpen(
  tx: StoreTransaction,
  { id, organization_id: organizationId }: WorkTaskRow,
  change: Partial<WorkTaskRow>,
): Promise<boolean> {
  const changed = await tx
    .db<WorkTables>()
    .updateTable('work_tasks')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .returning('id')
    .executeTakeFirst();
  await tx.signal(WORK_CHANGED, organizationId);
  return changed !== undefined;
}
