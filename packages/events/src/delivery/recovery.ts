/** The look after what nobody works on: deliveries whose pump was given up. */
import type { EventTables } from '../schema.ts';
import type { DeliveryParts } from './parts.ts';
import { lockTarget, wakePump } from './pump-task.ts';
import { OPEN } from './queue.ts';

const BATCH = 100;

/** Wakes the pump of every target that has a delivery due for at least `lateMs`. */
export async function recoverLate(parts: DeliveryParts, lateMs: number): Promise<void> {
  const { store, now } = parts;
  const late = await store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .select('target_id')
    .distinct()
    .where('status', 'in', OPEN)
    .where('next_at', '<=', now() - lateMs)
    .orderBy('target_id')
    .limit(BATCH)
    .execute();
  for (const { target_id: targetId } of late) {
    await store.transaction(async (tx) => {
      const target = await lockTarget(tx, targetId);
      if (target !== undefined) await wakePump(parts, tx, target, now());
    });
  }
}
