/** The outbox: an event, its deliveries and the work that they make, all in the transaction of the change. */
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { CloudEvent, NewEvent } from './cloud-event.ts';
import { checkEvent, toCloudEvent } from './cloud-event.ts';
import type { DeliveryParts } from './delivery/parts.ts';
import { OPEN } from './delivery/queue.ts';
import { lockTarget, wakePump } from './delivery/pump-task.ts';
import { findSubscribers } from './matching.ts';
import type { EventDeliveryRow, EventRow, EventTables } from './schema.ts';

/** Writes the event and a delivery for every target that wants it. */
export async function publishEvent(
  parts: DeliveryParts,
  tx: StoreTransaction,
  event: NewEvent,
): Promise<CloudEvent> {
  const data = checkEvent(event, parts.limits);
  const now = parts.now();
  const seq = await nextSeq(tx, event.organizationId);
  const subscribers = await findSubscribers(tx, event);
  const row: EventRow = {
    id: typeId('evt', now),
    organization_id: event.organizationId,
    seq,
    source: event.source,
    type: event.type,
    subject: event.subject ?? null,
    data,
    time: event.time ?? now,
    status: subscribers.length === 0 ? 'delivered' : 'pending',
    created_at: now,
  };
  await tx.db<EventTables>().insertInto('events').values(row).execute();
  for (const subscriber of subscribers) await addDelivery(parts, tx, { row, subscriber, event });
  return toCloudEvent(row);
}

/** Held until the commit, so that numbers appear in their order and a reader's cursor skips none. */
async function nextSeq(tx: StoreTransaction, organizationId: string): Promise<number> {
  const { seq } = await tx
    .db<EventTables>()
    .insertInto('event_sequences')
    .values({ organization_id: organizationId, seq: 1 })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet((row) => ({ seq: row('event_sequences.seq', '+', 1) })),
    )
    .returning('seq')
    .executeTakeFirstOrThrow();
  return seq;
}

interface Addition {
  readonly row: EventRow;
  readonly subscriber: { readonly id: string; readonly target_id: string };
  readonly event: NewEvent;
}

async function addDelivery(
  parts: DeliveryParts,
  tx: StoreTransaction,
  { row, subscriber, event }: Addition,
): Promise<void> {
  const target = await lockTarget(tx, subscriber.target_id);
  // Removed since it was matched.
  if (target === undefined) return;
  const orderKey = event.orderKey ?? '';
  const delivery: EventDeliveryRow = {
    id: typeId('dlv', row.created_at),
    organization_id: row.organization_id,
    event_id: row.id,
    subscription_id: subscriber.id,
    target_id: target.id,
    order_key: orderKey,
    seq: row.seq,
    status: 'pending',
    attempts: 0,
    status_code: null,
    last_error: null,
    next_at: Math.max(row.created_at, await lastInOrder(tx, target.id, orderKey)),
    created_at: row.created_at,
    finished_at: null,
    delivered_at: null,
  };
  await tx.db<EventTables>().insertInto('event_deliveries').values(delivery).execute();
  await wakePump(parts, tx, target, delivery.next_at);
}

/** When those before it in its order are due; it cannot go earlier. */
async function lastInOrder(tx: StoreTransaction, targetId: string, orderKey: string): Promise<number> {
  if (orderKey === '') return 0;
  const last = await tx
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .select((max) => max.fn.max('next_at').as('next_at'))
    .where('target_id', '=', targetId)
    .where('order_key', '=', orderKey)
    .where('status', 'in', OPEN)
    .executeTakeFirst();
  return last?.next_at ?? 0;
}
