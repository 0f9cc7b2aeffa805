/** Making a task: committed before anyone hears of it, and started at once when there is room. */
import { randomBytes } from 'node:crypto';
import { ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { isUniqueViolation, toJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { NewTask } from '../task.ts';
import { hasRoomFor, lockClaims } from './claim.ts';
import type { TaskChanges } from './changes.ts';
import { READY } from './changes.ts';
import type { Worker } from './worker.ts';

export interface CreateOptions {
  readonly store: Store;
  readonly worker: Worker;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
}

/** Creates the task, or finds the one that was made with the same idempotency key. */
export async function createTask(options: CreateOptions, input: NewTask): Promise<TaskRow> {
  const { store, worker, changes, limits, now } = options;
  const row = newRow(input, versionOf(worker, input.kind), limits, now());
  const create = () =>
    store.transaction(async (tx) => {
      const same = await findSame(tx, row, now());
      if (same !== undefined) return { row: same, isNew: false };
      await refuseTooMany(tx, row, limits);
      const claimed = await claimAtOnce(tx, row, options);
      await tx.db<TaskTables>().insertInto('tasks').values(claimed).execute();
      if (claimed.state === 'ready') await tx.signal(READY);
      await changes.happened(tx, claimed, 'created');
      return { row: claimed, isNew: true };
    });
  const created = await create().catch((error: unknown) => {
    // Another process made the same task between our look and our write.
    if (row.idempotency_key !== null && isUniqueViolation(error)) return create();
    throw error;
  });
  if (created.isNew && created.row.state === 'running') worker.adopt(created.row);
  return created.row;
}

/**
 * Creates the task with a transaction of the caller, to run after its commit. Of a task that has the same idempotency
 * key there stays one; if it has not begun and waits for a later time, it is brought forward.
 */
export async function createTaskIn(
  options: CreateOptions,
  tx: StoreTransaction,
  input: NewTask,
): Promise<TaskRow> {
  const { worker, changes, limits, now } = options;
  const row = newRow(input, versionOf(worker, input.kind), limits, now());
  const same = await findSame(tx, row, now());
  if (same !== undefined) return bringForward(tx, same, row.due_at);
  await refuseTooMany(tx, row, limits);
  const made = await tx
    .db<TaskTables>()
    .insertInto('tasks')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  // Another transaction made the same task between our look and our write.
  if (made === undefined) return createTaskIn(options, tx, input);
  await tx.signal(READY);
  await changes.happened(tx, row, 'created');
  return row;
}

async function bringForward(tx: StoreTransaction, same: TaskRow, dueAt: number): Promise<TaskRow> {
  const moved = await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ due_at: dueAt })
    .where('id', '=', same.id)
    .where('state', '=', 'ready')
    .where('fence', '=', 0)
    .where('due_at', '>', dueAt)
    .returning('id')
    .executeTakeFirst();
  if (moved === undefined) return same;
  await tx.signal(READY);
  return { ...same, due_at: dueAt };
}

function versionOf(worker: Worker, kind: string): number {
  const known = worker.kindOf(kind);
  if (known === undefined) throw new Error(`No code is registered for tasks of the kind "${kind}".`);
  return known.version;
}

function newRow(input: NewTask, version: number, limits: TaskLimits, now: number): TaskRow {
  const text = toJson(input.input);
  if (Buffer.byteLength(text) > limits.inputBytes) {
    throw new ToolError('invalid', `The input of a task may have at most ${limits.inputBytes} bytes.`);
  }
  const ttlMs = Math.round(Math.min(Math.max(input.ttlMs ?? limits.ttlMs, limits.minTtlMs), limits.maxTtlMs));
  return {
    id: `task_${randomBytes(32).toString('base64url')}`,
    organization_id: input.caller.organizationId,
    owner_id: input.caller.id,
    kind: input.kind,
    kind_version: version,
    state: 'ready',
    outcome: null,
    input: text,
    capabilities: toJson(input.capabilities),
    priority: input.priority ?? 0,
    due_at: Math.round(input.runAt ?? now),
    worker_id: null,
    lease_until: null,
    fence: 0,
    crashes: 0,
    cancel_reason: null,
    parent_id: input.parentId ?? null,
    idempotency_key: input.idempotencyKey ?? null,
    status_message: null,
    progress_done: null,
    progress_total: null,
    result: null,
    error: null,
    ttl_ms: ttlMs,
    created_at: now,
    updated_at: now,
    finished_at: null,
    expires_at: null,
  };
}

async function findSame(tx: StoreTransaction, row: TaskRow, now: number): Promise<TaskRow | undefined> {
  if (row.idempotency_key === null) return undefined;
  const db = tx.db<TaskTables>();
  const same = await db
    .selectFrom('tasks')
    .selectAll()
    .where('organization_id', '=', row.organization_id)
    .where('owner_id', '=', row.owner_id)
    .where('idempotency_key', '=', row.idempotency_key)
    .executeTakeFirst();
  if (same === undefined || same.expires_at === null || same.expires_at > now) return same;
  // Its time is over; only the purge has not come by yet.
  await db.deleteFrom('tasks').where('id', '=', same.id).execute();
  return undefined;
}

async function refuseTooMany(tx: StoreTransaction, row: TaskRow, limits: TaskLimits): Promise<void> {
  const waiting = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select((count) => count.fn.countAll().as('tasks'))
    .where('state', '=', 'ready')
    .where('organization_id', '=', row.organization_id)
    .where('owner_id', '=', row.owner_id)
    // A task that sleeps waits for its time, not for a place.
    .where('due_at', '<=', row.created_at)
    .executeTakeFirstOrThrow();
  if (Number(waiting.tasks) < limits.waitingPerOwner) return;
  throw new ToolError(
    'rate_limited',
    `At most ${limits.waitingPerOwner} tasks may wait at once. Try again when some have run.`,
    {
      retryAfterMs: 60_000,
    },
  );
}

/** A new task runs where it was made, without going through the queue, as long as nobody is overtaken. */
async function claimAtOnce(tx: StoreTransaction, row: TaskRow, options: CreateOptions): Promise<TaskRow> {
  const { worker, limits, now } = options;
  const pool = worker.poolOf(row.kind);
  if (pool === undefined || worker.roomIn(pool) <= 0 || row.due_at > now()) return row;
  await lockClaims(tx);
  if (!(await hasRoomFor(tx, row, worker.id, pool)) || (await hasEarlier(tx, row))) return row;
  return { ...row, state: 'running', worker_id: worker.id, lease_until: now() + limits.leaseMs, fence: 1 };
}

async function hasEarlier(tx: StoreTransaction, row: TaskRow): Promise<boolean> {
  const earlier = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('id')
    .where('state', '=', 'ready')
    .where('organization_id', '=', row.organization_id)
    .where('owner_id', '=', row.owner_id)
    .where('due_at', '<=', row.due_at)
    .limit(1)
    .executeTakeFirst();
  return earlier !== undefined;
}
