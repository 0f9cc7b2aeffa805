/** From rows to tasks, and the few rules that every row keeps. */
import type { StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskInputRow, TaskRow, TaskTables } from '../schema.ts';
import type { Task, TaskFault, TaskStatus } from '../task.ts';

/** The task that a row and its open questions make. */
export function toTask(row: TaskRow, open: readonly Pick<TaskInputRow, 'input_key' | 'request'>[]): Task {
  const status = statusOf(row);
  return {
    id: row.id,
    organizationId: row.organization_id,
    ownerId: row.owner_id,
    kind: row.kind,
    status,
    statusMessage: row.status_message,
    progress: row.progress_done === null ? null : { done: row.progress_done, total: row.progress_total },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
    ttlMs: row.ttl_ms,
    expiresAt: row.expires_at,
    input: fromJson<unknown>(row.input),
    inputRequests:
      status === 'input_required'
        ? Object.fromEntries(open.map(({ input_key, request }) => [input_key, fromJson<unknown>(request)]))
        : {},
    result: row.result === null ? null : fromJson<unknown>(row.result),
    error: row.error === null ? null : fromJson<TaskFault>(row.error),
  };
}

/** What clients see of where a task stands. */
export function statusOf(row: Pick<TaskRow, 'state' | 'outcome'>): TaskStatus {
  if (row.state === 'final') return row.outcome ?? 'failed';
  return row.state === 'asking' ? 'input_required' : 'working';
}

const MESSAGE_LENGTH = 500;

/** A status message: one line, no control characters, not too long. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MESSAGE_LENGTH);
}

/** The time of an update; it never goes back, whichever clock wrote last. */
export function notBefore(now: number): RawBuilder<number> {
  return sql<number>`case when updated_at > ${now} then updated_at else ${now} end`;
}

/** The end of a lease; one that was renewed meanwhile is not made shorter. */
export function notShorter(until: number): RawBuilder<number> {
  return sql<number>`case when tasks.lease_until > ${until} then tasks.lease_until else ${until} end`;
}

/** An unfinished task is never dropped: the time it is promised grows while it lives. */
export function withRisingTtl(row: TaskRow, now: number, limits: TaskLimits): TaskRow {
  const keepUntil = now + limits.keepFinishedMs;
  if (row.state === 'final' || row.created_at + row.ttl_ms > keepUntil) return row;
  return { ...row, ttl_ms: keepUntil - row.created_at };
}

/** The task as it is now, held until the transaction ends. */
export function lockTask(tx: StoreTransaction, taskId: string): Promise<TaskRow | undefined> {
  const query = tx.db<TaskTables>().selectFrom('tasks').selectAll().where('id', '=', taskId);
  return tx.locked(query).executeTakeFirst();
}
