/** The look after what nobody works on: deliveries whose pump was given up. */
import { StoreUnavailableError } from '@parley/store';
import type { EventTables } from '../schema.ts';
import type { DeliveryParts } from './parts.ts';
import { lockTarget, renewPump } from './pump-task.ts';
import { STILL_OPEN } from './queue.ts';

const BATCH = 100;

type RecoveryParts = Pick<DeliveryParts, 'store' | 'tasks' | 'now' | 'onFault'>;

/**
 * A look that wakes the pumps of targets which have a delivery due for at least `lateMs`: some of them each time, and the
 * next ones the next time, so that those who stay late keep nobody else from it.
 */
export function createRecovery(parts: RecoveryParts, lateMs: number): () => Promise<void> {
  let after = '';
  return async () => {
    const late = await lateTargets(parts, lateMs, after);
    for (const targetId of late) {
      after = targetId;
      await wake(parts, targetId);
    }
    if (late.length < BATCH) after = '';
  };
}

async function lateTargets({ store, now }: RecoveryParts, lateMs: number, after: string): Promise<string[]> {
  const late = await store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .innerJoin('event_targets', 'event_targets.id', 'event_deliveries.target_id')
    .select('event_deliveries.target_id')
    .distinct()
    .where('event_deliveries.status', 'in', STILL_OPEN)
    .where('event_deliveries.next_at', '<=', now() - lateMs)
    .where('event_deliveries.target_id', '>', after)
    .where('event_targets.paused_reason', 'is', null)
    .orderBy('event_deliveries.target_id')
    .limit(BATCH)
    .execute();
  return late.map(({ target_id: targetId }) => targetId);
}

async function wake(parts: RecoveryParts, targetId: string): Promise<void> {
  try {
    await parts.store.transaction(async (tx) => {
      const target = await lockTarget(tx, targetId);
      if (target !== undefined) await renewPump(parts, tx, target, parts.now());
    });
  } catch (error) {
    // The others would fare the same.
    if (error instanceof StoreUnavailableError && error.reason !== 'busy') throw error;
    parts.onFault(error, `event recovery of ${targetId}`);
  }
}
