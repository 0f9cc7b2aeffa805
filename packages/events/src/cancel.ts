/** Cancelling: a schedule fires no more, an event is brought to nobody who does not have it yet. */
import type { StoreTransaction } from '@parley/store';
import { refreshEvents } from './delivery/event-status.ts';
import type { DeliveryParts } from './delivery/parts.ts';
import { lockTarget } from './delivery/pump-task.ts';
import { STILL_OPEN } from './delivery/queue.ts';
import type { EventTables } from './schema.ts';

/** Who cancels; without a source, anything of the organization. */
export interface Canceller {
  readonly organizationId: string;
  readonly source?: string | undefined;
}

const ID = /^(evt|sch)_[0-9a-z]{26}$/;
const CANCELLED = 'The event was cancelled.';

/** Cancels an event or a schedule; false when there was nothing to cancel. */
export async function cancelEvent(parts: DeliveryParts, who: Canceller, id: string): Promise<boolean> {
  if (!ID.test(id)) return false;
  const { store, now } = parts;
  return store.transaction(
    async (tx) => (await cancelSchedule(tx, who, id, now())) || (await cancelDeliveries(tx, who, id, now())),
  );
}

/** Ends a schedule; false when there was none to end. */
export async function cancelSchedule(
  tx: StoreTransaction,
  { organizationId, source }: Canceller,
  id: string,
  now: number,
): Promise<boolean> {
  let query = tx
    .db<EventTables>()
    .updateTable('event_schedules')
    .set({ cancelled_at: now, next_at: null, updated_at: now })
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('cancelled_at', 'is', null);
  if (source !== undefined) query = query.where('source', '=', source);
  return (await query.returning('id').executeTakeFirst()) !== undefined;
}

async function cancelDeliveries(
  tx: StoreTransaction,
  { organizationId, source }: Canceller,
  id: string,
  now: number,
): Promise<boolean> {
  const db = tx.db<EventTables>();
  let query = db
    .selectFrom('event_deliveries')
    .innerJoin('events', 'events.id', 'event_deliveries.event_id')
    .select('event_deliveries.target_id')
    .distinct()
    .where('events.id', '=', id)
    .where('events.organization_id', '=', organizationId)
    .where('event_deliveries.status', 'in', STILL_OPEN)
    .orderBy('event_deliveries.target_id');
  if (source !== undefined) query = query.where('events.source', '=', source);
  const targets = await query.execute();
  if (targets.length === 0) return false;
  for (const { target_id: targetId } of targets) await lockTarget(tx, targetId);
  const cancelled = await db
    .updateTable('event_deliveries')
    .set({ status: 'cancelled', last_error: CANCELLED, finished_at: now })
    .where('event_id', '=', id)
    .where('status', 'in', STILL_OPEN)
    .returning('id')
    .execute();
  await refreshEvents(tx, [id]);
  return cancelled.length > 0;
}
