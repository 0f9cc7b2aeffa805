/** Idempotency keys: the task that was made before with the same key. */
import type { Queryable } from '@parley/store';
import { rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { TaskRow, TaskTables } from '../schema.ts';

type Keyed = Pick<TaskRow, 'organization_id' | 'owner_id' | 'idempotency_key'>;

const COLUMNS = { organization_id: 'text', owner_id: 'text', idempotency_key: 'text' } as const;

/** The same for tasks that one key makes one; a task without a key is like no other. */
export function sameKey(row: Pick<TaskRow, 'id'> & Keyed): string {
  return row.idempotency_key === null
    ? row.id
    : JSON.stringify([row.organization_id, row.owner_id, row.idempotency_key]);
}

/** Those that were made before with the keys of these rows; what is past its time makes room. */
export async function findSame(
  on: Queryable,
  rows: readonly (Pick<TaskRow, 'id'> & Keyed)[],
  now: number,
): Promise<Map<string, TaskRow>> {
  const keyed = rows.filter(({ idempotency_key: key }) => key !== null);
  if (keyed.length === 0) return new Map();
  const asked = [...new Map(keyed.map((row) => [sameKey(row), row])).values()];
  const table = rowTable<Keyed>(on.engine, 'asked', { rows: asked, columns: COLUMNS });
  const { rows: found } = await sql<TaskRow>`
    select tasks.* from ${table} join tasks on tasks.organization_id = asked.organization_id
    and tasks.owner_id = asked.owner_id and tasks.idempotency_key = asked.idempotency_key`.execute(on.db());
  const isOver = ({ expires_at: expiresAt }: TaskRow) => expiresAt !== null && expiresAt <= now;
  // Their time is over; only the purge has not come by yet.
  const over = found.filter(isOver).map(({ id }) => id);
  if (over.length > 0) await on.db<TaskTables>().deleteFrom('tasks').where('id', 'in', over).execute();
  return new Map(found.filter((row) => !isOver(row)).map((row) => [sameKey(row), row]));
}
