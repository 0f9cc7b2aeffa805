/** Deletes what an organization has in the records file, a small step at a time. */
import type Database from 'better-sqlite3';
import { whileBusy } from './write-lock.ts';

const WINDOW_ROWS = 5_000;
const KINDS_SQL = 'kind_id in (select id from call_kinds where organization_id = ?)';

/** Returns how many calls were deleted; their details, their kinds and what was counted of them go as well. */
export async function forgetRecords(
  database: Database.Database,
  organizationId: string,
  nextTurn: () => Promise<void>,
): Promise<number> {
  const bounds = database.prepare<[], { low: number | null; high: number | null }>(
    'select (select min(id) from calls) as low, (select max(id) from calls) as high',
  );
  const details = database.prepare(
    `delete from call_details where id in (select id from calls where id >= ? and id < ? and ${KINDS_SQL})`,
  );
  const calls = database.prepare(`delete from calls where id >= ? and id < ? and ${KINDS_SQL}`);
  const step = database.transaction((start: number) => {
    details.run(start, start + WINDOW_ROWS, organizationId);
    return calls.run(start, start + WINDOW_ROWS, organizationId).changes;
  });
  const { low, high } = bounds.get() ?? { low: null, high: null };
  let deleted = 0;
  for (let start = low ?? 0; start <= (high ?? -1); start += WINDOW_ROWS) {
    deleted += await whileBusy(() => step.immediate(start));
    await nextTurn();
  }
  await forgetRollups(database, organizationId, nextTurn);
  await whileBusy(() =>
    database.prepare('delete from call_kinds where organization_id = ?').run(organizationId),
  );
  return deleted;
}

async function forgetRollups(
  database: Database.Database,
  organizationId: string,
  nextTurn: () => Promise<void>,
): Promise<void> {
  const first = database.prepare<[string], { toolset: string; tool: string }>(
    'select toolset, tool from call_rollups where organization_id = ? limit 1',
  );
  const remove = database.prepare(
    'delete from call_rollups where organization_id = ? and toolset = ? and tool = ?',
  );
  for (let found = first.get(organizationId); found; found = first.get(organizationId)) {
    const { toolset, tool } = found;
    await whileBusy(() => remove.run(organizationId, toolset, tool));
    await nextTurn();
  }
}
