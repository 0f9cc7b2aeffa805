/** The ends of tasks: each happens once, in one transaction with its announcement. */
import type { RowTableColumns, StoreTransaction } from '@parley/store';
import { isAmong, isWrittenHere, planLast, rowTable, toJson } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow } from '../schema.ts';
import type { TaskFault } from '../task.ts';
import type { OnlyIf, TaskChanges } from './changes.ts';
import { changed } from './changes.ts';
import { oneLine } from './rows.ts';

/** How a task ends. */
export type Ending =
  | { readonly outcome: 'completed'; readonly result: unknown }
  | { readonly outcome: 'failed'; readonly error: TaskFault }
  | { readonly outcome: 'cancelled'; readonly reason: string };

/** Thrown when a worker writes for a task that is no longer its own. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The end of one task, for the claim that has it. */
export interface TaskEnd {
  readonly task: Pick<
    TaskRow,
    'id' | 'fence' | 'created_at' | 'ttl_ms' | 'organization_id' | 'owner_id' | 'kind'
  >;
  readonly ending: Ending;
}

/** The columns that an end writes. */
type EndRow = Pick<TaskRow, 'id' | 'fence' | 'outcome' | 'result' | 'error' | 'status_message' | 'ttl_ms'> & {
  readonly finished_at: number;
  readonly expires_at: number;
};

const COLUMNS: RowTableColumns<EndRow> = {
  id: 'text',
  fence: 'integer',
  outcome: 'text',
  result: 'text',
  error: 'text',
  status_message: 'text',
  ttl_ms: 'bigint',
  finished_at: 'bigint',
  expires_at: 'bigint',
};

export interface FinishOptions {
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: number;
  /** Told the ids of those that were still held, once it is known. */
  readonly onWritten?: (ids: ReadonlySet<string>) => void;
}

/**
 * Writes the ends of tasks in one statement, with all that is told of them, when all else of the transaction is done: what
 * others need for their news is held no longer than its commit takes.
 */
export async function finish(
  tx: StoreTransaction,
  ends: readonly TaskEnd[],
  { changes, limits, now, onWritten }: FinishOptions,
): Promise<void> {
  const rows = ends.map(({ task, ending }) => endOf(task, storable(ending, limits), { limits, now }));
  planLast(tx, 'named', () =>
    tx.last(write(tx, rows, now), (written) => {
      onWritten?.(new Set(written.map(({ id }) => id)));
      // Also those that were written before, when nobody heard that they were.
      return rows.map(({ id }) => changed(id));
    }),
  );
  await changes.happened(
    tx,
    ends.map(({ task }, index) => ({ task, what: rows[index]?.outcome ?? 'failed' })),
    hasEnded(tx, rows),
  );
}

/** In the order of the ids, as everywhere where several tasks are written. */
function write(tx: StoreTransaction, rows: readonly EndRow[], now: number) {
  const ordered = rows.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const table = rowTable<EndRow>(tx.engine, 'ended', { rows: ordered, columns: COLUMNS });
  return sql<{ id: string }>`
    update tasks set state = 'final', outcome = ended.outcome, worker_id = null, lease_until = null, turn = null,
      result = ended.result, error = ended.error, status_message = coalesce(ended.status_message, tasks.status_message),
      ttl_ms = ended.ttl_ms, finished_at = ended.finished_at, expires_at = ended.expires_at,
      updated_at = case when tasks.updated_at > ${now} then tasks.updated_at else ${now} end
    from ${table} where tasks.id = ended.id and tasks.fence = ended.fence and tasks.state <> 'final'
    returning tasks.id`;
}

/** Under the claim that ends it, and with this very write: one whose answer was lost is written twice. */
function hasEnded(tx: StoreTransaction, rows: readonly EndRow[]): OnlyIf {
  const claims = rows.map(({ id, fence }) => `${id} ${fence}`);
  return (taskId) => sql<boolean>`exists (
    select 1 from tasks where tasks.id = ${taskId} and tasks.state = 'final'
    and ${isAmong(tx.engine, sql`tasks.id || ' ' || tasks.fence`, claims)} and ${isWrittenHere(tx.engine, 'tasks')}
  )`;
}

type StoredEnding = Exclude<Ending, { outcome: 'completed' }> | { outcome: 'completed'; result: string };

/** What can be kept of an ending: a result that is too large or no JSON is a fault. */
function storable(ending: Ending, limits: TaskLimits): StoredEnding {
  if (ending.outcome !== 'completed') return ending;
  const fault = (message: string): StoredEnding => ({ outcome: 'failed', error: { code: -32603, message } });
  let result: string;
  try {
    result = toJson(ending.result);
  } catch {
    return fault('The result of the task cannot be written as JSON.');
  }
  if (Buffer.byteLength(result) <= limits.resultBytes) return { outcome: 'completed', result };
  return fault(`The result of the task has more than ${limits.resultBytes} bytes. Ask for less.`);
}

function endOf(
  task: TaskEnd['task'],
  ending: StoredEnding,
  { limits, now }: { readonly limits: TaskLimits; readonly now: number },
): EndRow {
  const expiresAt = Math.max(task.created_at + task.ttl_ms, now + limits.keepFinishedMs);
  const message = messageOf(ending);
  return {
    id: task.id,
    fence: task.fence,
    outcome: ending.outcome,
    result: ending.outcome === 'completed' ? ending.result : null,
    error: ending.outcome === 'failed' ? toJson(ending.error) : null,
    status_message: message === undefined ? null : oneLine(message),
    finished_at: now,
    expires_at: expiresAt,
    // What the client is told must not promise less than what is kept.
    ttl_ms: expiresAt - task.created_at,
  };
}

function messageOf(ending: StoredEnding): string | undefined {
  if (ending.outcome === 'completed') return undefined;
  return ending.outcome === 'failed' ? ending.error.message : ending.reason;
}
