/** The queue of one target: which delivery is next, and how a run takes it. */
import type { Queryable, StoreTransaction } from '@parley/store';
import type { EventDeliveryRow, EventRow, EventTables, EventTargetRow } from '../schema.ts';
import type { DeliveryParts, TargetKind } from './parts.ts';
import { lockTarget, nextPump } from './pump-task.ts';

/** The statuses of a delivery that still has to arrive. */
export const OPEN = ['pending', 'processing'] as const;

/** A target as one run of a pump holds it. */
export interface HeldTarget {
  readonly id: string;
  readonly fence: number;
  readonly kind: string;
}

/** Deliveries that a run has taken for one attempt, with their events. */
export interface Claimed {
  readonly target: EventTargetRow;
  readonly deliveries: readonly EventDeliveryRow[];
  readonly events: readonly EventRow[];
}

/** Thrown when another run has the target, or it is gone. */
export class TargetLost extends Error {
  override readonly name = 'TargetLost';
}

/** Takes the target for a run of the pump with a number; undefined when that pump has handed over. */
export function beginRun(
  { store, now }: DeliveryParts,
  targetId: string,
  pump: number,
): Promise<HeldTarget | undefined> {
  return store.transaction(async (tx) => {
    const target = await lockTarget(tx, targetId);
    if (target?.pump !== pump) return undefined;
    const fence = target.fence + 1;
    await tx
      .db<EventTables>()
      .updateTable('event_targets')
      .set({ fence })
      .where('id', '=', targetId)
      .execute();
    await putBack(tx, targetId, now());
    return { id: targetId, fence, kind: target.kind };
  });
}

/** The run that sent these is gone, and nobody knows whether they arrived. */
async function putBack(tx: StoreTransaction, targetId: string, now: number): Promise<void> {
  await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set({ status: 'pending', next_at: now })
    .where('target_id', '=', targetId)
    .where('status', '=', 'processing')
    .execute();
}

/** The target, locked, if the run still has it. */
export async function lockHeld(tx: StoreTransaction, held: HeldTarget): Promise<EventTargetRow> {
  const target = await lockTarget(tx, held.id);
  if (target?.fence !== held.fence) throw new TargetLost('Another run has the target now.');
  return target;
}

/** Takes what is due for one attempt, if there is anything. */
export function claimDue(
  parts: DeliveryParts,
  held: HeldTarget,
  { batch }: Pick<TargetKind, 'batch'>,
): Promise<Claimed | undefined> {
  return parts.store.transaction(async (tx) => {
    const target = await lockHeld(tx, held);
    if (target.paused_reason !== null) return undefined;
    const due = (await nextDeliveries(tx, held.id, batch)).filter(({ next_at }) => next_at <= parts.now());
    if (due.length === 0) return undefined;
    const db = tx.db<EventTables>();
    const eventIds = [...new Set(due.map(({ event_id }) => event_id))];
    // All of one event: a target that asked for it twice gets it once.
    const deliveries = await db
      .updateTable('event_deliveries')
      .set({ status: 'processing' })
      .where('target_id', '=', held.id)
      .where('event_id', 'in', eventIds)
      .where('status', '=', 'pending')
      .returningAll()
      .execute();
    const events = await db
      .selectFrom('events')
      .selectAll()
      .where('id', 'in', eventIds)
      .orderBy('seq')
      .execute();
    return { target, deliveries, events };
  });
}

/** Ends a run that has nothing under way: the next pump comes when the next delivery is due. False when one is due now and the run may go on. */
export async function handOver(
  parts: DeliveryParts,
  held: HeldTarget,
  { mayGoOn, notBefore = 0 }: { mayGoOn: boolean; notBefore?: number },
): Promise<boolean> {
  const isOver = await parts.store.transaction(async (tx) => {
    const target = await lockHeld(tx, held);
    await putBack(tx, held.id, parts.now());
    const [next] = target.paused_reason === null ? await nextDeliveries(tx, held.id, 1) : [];
    if (mayGoOn && next !== undefined && next.next_at <= parts.now()) return false;
    await nextPump(parts, tx, target, next && Math.max(next.next_at, notBefore));
    return true;
  });
  if (!isOver) return false;
  // Whoever published meanwhile saw this pump at work, and left it to us.
  const [missed] = await nextDeliveries(parts.store, held.id, 1);
  if (missed !== undefined) parts.waker.wake(held.id, Math.max(missed.next_at, notBefore));
  return true;
}

/** The earliest pending deliveries that no open one with the same key stands before. */
function nextDeliveries(on: Queryable, targetId: string, limit: number): Promise<EventDeliveryRow[]> {
  return on
    .db<EventTables>()
    .selectFrom('event_deliveries as delivery')
    .selectAll('delivery')
    .where('delivery.target_id', '=', targetId)
    .where('delivery.status', '=', 'pending')
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('delivery.order_key', '=', ''),
        not(
          exists(
            selectFrom('event_deliveries as before')
              .select('before.id')
              .where('before.target_id', '=', targetId)
              .whereRef('before.order_key', '=', 'delivery.order_key')
              .where('before.status', 'in', OPEN)
              .whereRef('before.seq', '<', 'delivery.seq'),
          ),
        ),
      ]),
    )
    .orderBy('delivery.next_at')
    .orderBy('delivery.seq')
    .limit(limit)
    .execute();
}
