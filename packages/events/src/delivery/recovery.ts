/** The look after what nobody works on: deliveries whose pump was given up. */
import type { EventTables } from '../schema.ts';
import type { DeliveryParts } from './parts.ts';
import { lockTarget, renewPump } from './pump-task.ts';
import { STILL_OPEN } from './queue.ts';

const BATCH = 100;

/** Wakes the pump of every target that has a delivery due for at least `lateMs`. */
export async function recoverLate(parts: DeliveryParts, lateMs: number): Promise<void> {
  const { store, now } = parts;
  const late = await store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .innerJoin('event_targets', 'event_targets.id', 'event_deliveries.target_id')
    .select('event_deliveries.target_id')
    .distinct()
    .where('event_deliveries.status', 'in', STILL_OPEN)
    .where('event_deliveries.next_at', '<=', now() - lateMs)
    .where('event_targets.paused_reason', 'is', null)
    .orderBy('event_deliveries.target_id')
    .limit(BATCH)
    .execute();
  for (const { target_id: targetId } of late) {
    await store.transaction(async (tx) => {
      const target = await lockTarget(tx, targetId);
      if (target !== undefined) await renewPump(parts, tx, target, now());
    });
  }
}
