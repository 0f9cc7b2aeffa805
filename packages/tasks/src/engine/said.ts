/** What a task has said on its way: its last messages, in their order. */
import type { Queryable, RowTableColumns, StoreTransaction } from '@parley/store';
import { rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { TaskTables } from '../schema.ts';
import type { TaskProgress } from '../task.ts';

/** One message, and how far the task was then. */
export interface Said extends TaskProgress {
  readonly at: number;
  readonly message: string;
}

/** A message of a task that a worker holds. */
export interface SaidBy extends Said {
  readonly id: string;
  readonly fence: number;
  /** Its place among those that are written together. */
  readonly nth: number;
}

/** As many as are kept of one task. */
export const MOST_SAID = 100;

const COLUMNS: RowTableColumns<SaidBy> = {
  id: 'text',
  fence: 'integer',
  nth: 'integer',
  at: 'bigint',
  done: 'double precision',
  total: 'double precision',
  message: 'text',
};

/** The statements that keep messages of tasks that are still held, and let go of the oldest. */
export function keepSaid(tx: Pick<StoreTransaction, 'engine' | 'last'>, said: readonly SaidBy[]): void {
  if (said.length === 0) return;
  const table = rowTable<SaidBy>(tx.engine, 'said', { rows: said, columns: COLUMNS });
  tx.last(sql`
    insert into task_progress (task_id, organization_id, position, at, done, total, message)
    select tasks.id, tasks.organization_id,
      coalesce((select max(kept.position) + 1 from task_progress as kept where kept.task_id = tasks.id), 0) + said.nth,
      said.at, said.done, said.total, said.message
    from ${table}, tasks where tasks.id = said.id and tasks.fence = said.fence and tasks.state = 'running'
    on conflict (task_id, position) do nothing`);
  const ids = [...new Set(said.map(({ id }) => id))];
  tx.last(sql`
    delete from task_progress where task_id in (${sql.join(ids)}) and position <=
      (select max(kept.position) - ${MOST_SAID} from task_progress as kept where kept.task_id = task_progress.task_id)`);
}

/** The last messages of a task, the oldest first. */
export async function saidBy(from: Queryable, taskId: string): Promise<Said[]> {
  const rows = await from
    .db<TaskTables>()
    .selectFrom('task_progress')
    .select(['at', 'done', 'total', 'message'])
    .where('task_id', '=', taskId)
    .orderBy('position', 'desc')
    .limit(MOST_SAID)
    .execute();
  return rows.toReversed();
}
