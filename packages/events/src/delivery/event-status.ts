/** The status of an event, which follows from its deliveries. */
import type { StoreTransaction } from '@parley/store';
import { isAmong, lookUpByIndex, rowLock } from '@parley/store';
import { sql } from 'kysely';
import type { EventStatus, EventTables } from '../schema.ts';

const CHUNK = 500;

/** Works the status of some events out again, after their deliveries changed in this transaction. */
export async function refreshEvents(tx: StoreTransaction, eventIds: readonly string[]): Promise<void> {
  const ids = [...new Set(eventIds)].toSorted();
  const db = tx.db<EventTables>();
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK);
    // Two transactions that end deliveries of one event must see each other.
    await tx.hold(db.selectFrom('events').select('id').where('id', 'in', chunk).orderBy('id'));
    await db.updateTable('events').set({ status: worked() }).where('id', 'in', chunk).execute();
  }
}

/**
 * The same with the commit, for what many processes do all the time: the events are held by the server alone, so one that
 * stands still in the middle of it keeps nobody else from theirs.
 */
export function refreshEventsLast(tx: StoreTransaction, eventIds: readonly string[]): void {
  const ids = [...new Set(eventIds)];
  if (ids.length === 0) return;
  const own = isAmong(tx.engine, sql`events.id`, ids);
  lookUpByIndex(tx);
  tx.last(sql`select id from events where ${own} order by id ${rowLock(tx.engine)}`);
  tx.last(sql`update events set status = ${worked()} where ${own}`);
}

/** The status as it follows now. One look at the deliveries of each event, whatever the database thinks of the whole table. */
export function worked() {
  const has = (statuses: string) =>
    sql`max(case when d.status in (${sql.raw(statuses)}) then 1 else 0 end) = 1`;
  return sql<EventStatus>`(select case
    when ${has(`'pending', 'processing'`)} then 'pending'
    when ${has(`'dead'`)} then 'failed'
    when ${has(`'cancelled'`)} and not ${has(`'delivered'`)} then 'cancelled'
    else 'delivered' end from event_deliveries d where d.event_id = events.id)`;
}
