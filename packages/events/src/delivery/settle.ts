/** What an attempt changes: the delivery, those that wait behind it, its event and its target. */
import type { StoreTransaction } from '@parley/store';
import type { EventDeliveryRow, EventTables } from '../schema.ts';
import { refreshEvents } from './event-status.ts';
import type { Attempt, DeliveryParts, TargetKind } from './parts.ts';
import { lockTarget } from './pump-task.ts';
import type { Claimed, HeldTarget } from './queue.ts';
import { OPEN } from './queue.ts';

/** Stores the end of an attempt. */
export function settle(
  parts: DeliveryParts,
  held: HeldTarget,
  claimed: Claimed,
  kind: TargetKind,
  attempt: Attempt,
): Promise<void> {
  const { store } = parts;
  const { delivery, target } = claimed;
  return store.transaction(async (tx) => {
    const locked = await lockTarget(tx, held.id);
    // That it arrived stays true in the hands of another run; that it failed is no longer ours to say.
    if (locked === undefined || (locked.fence !== held.fence && attempt.outcome !== 'delivered')) return;
    const change = changeOf(delivery, attempt, kind.retryDelaysMs, parts.now());
    const db = tx.db<EventTables>();
    const written = await db
      .updateTable('event_deliveries')
      .set(change)
      .where('id', '=', delivery.id)
      // Cancelled while it was under way: only an arrival changes that.
      .where('status', 'in', attempt.outcome === 'delivered' ? [...OPEN, 'cancelled'] : OPEN)
      .returning('id')
      .executeTakeFirst();
    if (written === undefined) return;
    await moveFollowers(tx, delivery, change, parts.now());
    await refreshEvents(tx, [delivery.event_id]);
    await kind.settled(tx, target, attempt);
  });
}

type Change = Pick<
  EventDeliveryRow,
  'status' | 'attempts' | 'status_code' | 'last_error' | 'next_at' | 'finished_at' | 'delivered_at'
>;

function changeOf(
  { attempts: before, next_at }: EventDeliveryRow,
  attempt: Attempt,
  retryDelaysMs: readonly number[],
  now: number,
): Change {
  const attempts = before + 1;
  const finished = { attempts, next_at, finished_at: now, delivered_at: null };
  if (attempt.outcome === 'cancelled')
    return {
      ...finished,
      status: 'cancelled',
      attempts: before,
      status_code: null,
      last_error: attempt.error,
    };
  const status_code = attempt.statusCode;
  if (attempt.outcome === 'delivered')
    return { ...finished, status: 'delivered', status_code, last_error: null, delivered_at: now };
  const delayMs = attempt.outcome === 'dead' ? undefined : retryDelaysMs[before];
  const failed = { ...finished, status_code, last_error: attempt.error };
  if (delayMs === undefined) return { ...failed, status: 'dead' };
  return { ...failed, status: 'pending', next_at: now + delayMs, finished_at: null };
}

/** Those behind it in its order wait as long as it does, and no longer. */
async function moveFollowers(
  tx: StoreTransaction,
  delivery: EventDeliveryRow,
  { status, next_at }: Change,
  now: number,
): Promise<void> {
  if (delivery.order_key === '') return;
  const isWaiting = status === 'pending';
  await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set({ next_at: isWaiting ? next_at : now })
    .where('target_id', '=', delivery.target_id)
    .where('order_key', '=', delivery.order_key)
    .where('status', '=', 'pending')
    .where('seq', '>', delivery.seq)
    .where('attempts', '=', 0)
    .where('next_at', isWaiting ? '<' : '>', isWaiting ? next_at : now)
    .execute();
}
