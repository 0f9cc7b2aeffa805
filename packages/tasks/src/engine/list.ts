/** The tasks of an owner, newest first, in pages that neither skip nor repeat. */
import { ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { Task, TaskOwner, TaskStatus } from '../task.ts';
import { toTask, withRisingTtl } from './rows.ts';

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor: string | null;
}

/** Lists tasks; the cursor is the place of the last one, so it needs no memory. */
export async function listTasks(
  store: Store,
  owner: TaskOwner,
  query: { status?: TaskStatus; limit: number; cursor?: string },
  now: number,
  limits: TaskLimits,
): Promise<TaskPage> {
  let select = store
    .db<TaskTables>()
    .selectFrom('tasks')
    .selectAll()
    .where('organization_id', '=', owner.organizationId)
    .where('owner_id', '=', owner.ownerId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
  if (query.status === 'working') select = select.where('state', 'in', ['ready', 'running']);
  else if (query.status === 'input_required') select = select.where('state', '=', 'asking');
  else if (query.status !== undefined) select = select.where('outcome', '=', query.status);
  if (query.cursor !== undefined) {
    const { at, id } = decodeCursor(query.cursor);
    select = select.where((where) =>
      where.or([
        where('created_at', '<', at),
        where.and([where('created_at', '=', at), where('id', '<', id)]),
      ]),
    );
  }
  const rows = await select.execute();
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const hasMore = rows.length > query.limit && last !== undefined;
  return {
    tasks: page.map((row) => toTask(withRisingTtl(row, now, limits), [])),
    nextCursor: hasMore ? encodeCursor(last) : null,
  };
}

/** Where a page ended. */
export function encodeCursor({ created_at: at, id }: Pick<TaskRow, 'created_at' | 'id'>): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/** Throws for a text that is no such place. */
export function decodeCursor(cursor: string): { at: number; id: string } {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const isOurs = /^\d{1,15}$/.test(at) && /^task_[\w-]+$/.test(id);
  if (!isOurs) throw new ToolError('invalid', 'cursor: must be the nextCursor of the page before');
  return { at: Number(at), id };
}
