/** Looking at deliveries of every kind, and starting one again. */
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { CloudEvent } from '../cloud-event.ts';
import { toCloudEvent } from '../cloud-event.ts';
import { refreshEvents } from '../delivery/event-status.ts';
import type { DeliveryParts } from '../delivery/parts.ts';
import { lockTarget, wakePump } from '../delivery/pump-task.ts';
import { moveFollowers } from '../delivery/settle.ts';
import type { DeliveryStatus, EventDeliveryRow, EventTables } from '../schema.ts';
import { sql } from 'kysely';
import { CONNECTION, connectionIdOf, targetIdOf } from '../subscribers/target.ts';

/** One event on its way to one subscriber. */
export interface Delivery {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly subscriptionId: string;
  /** The connection, or the webhook. */
  readonly subscriber: string;
  readonly nextAt: number | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  readonly event: CloudEvent;
}

/** Which deliveries are wanted. */
export interface DeliveriesQuery {
  /** This one alone. */
  readonly id?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Those of one event. */
  readonly eventId?: string | undefined;
  /** Those to one connection or webhook. */
  readonly subscriber?: string | undefined;
  /** Those of events with this in their type. */
  readonly text?: string | undefined;
  readonly limit: number;
  /** The last one of the page before. */
  readonly before?: string | undefined;
  /** True: the same index, read from its other end. */
  readonly oldestFirst?: boolean | undefined;
}

/** The deliveries of an organization, the newest first unless it is said otherwise. */
export async function readDeliveries(
  on: Queryable,
  organizationId: string,
  { id: wanted, status, eventId, subscriber, text, limit, before, oldestFirst = false }: DeliveriesQuery,
): Promise<Delivery[]> {
  const [order, beyond] = oldestFirst ? (['asc', '>'] as const) : (['desc', '<'] as const);
  let query = on
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('seq', order)
    .orderBy('id', order)
    .limit(limit);
  if (wanted !== undefined) query = query.where('id', '=', wanted);
  if (status !== undefined) query = query.where('status', '=', status);
  if (subscriber !== undefined) query = query.where('target_id', 'in', [subscriber, targetIdOf(subscriber)]);
  if (eventId !== undefined) query = query.where('event_id', '=', eventId);
  if (text !== undefined) query = query.where(ofType(text));
  if (before !== undefined) {
    const { seq, id } = await findDelivery(on, organizationId, before);
    query = query.where(({ or, and, eb }) =>
      or([eb('seq', beyond, seq), and([eb('seq', '=', seq), eb('id', beyond, id)])]),
    );
  }
  return withEvents(on, await query.execute());
}

/** Looked up event by event, so that a page ends as soon as it is full. */
function ofType(text: string) {
  const like = `%${text.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
  return sql<boolean>`exists (select 1 from events
    where events.id = event_deliveries.event_id and lower(events.type) like ${like} escape '!')`;
}

/** Starts a delivery again from its first attempt; it need not have failed. */
export async function startAgain(
  parts: DeliveryParts,
  tx: StoreTransaction,
  found: EventDeliveryRow,
): Promise<void> {
  const target = await lockTarget(tx, found.target_id);
  if (target === undefined) throw deliveryNotFound();
  const due = parts.now();
  const again = await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set({ status: 'pending', attempts: 0, next_at: due, finished_at: null, delivered_at: null })
    .where('id', '=', found.id)
    .where('status', '!=', 'processing')
    .returning(['event_id', 'target_id', 'order_key', 'seq'])
    .executeTakeFirst();
  if (again === undefined)
    throw new ToolError('conflict', 'The delivery is under way. Look again when it has ended.');
  // Those that waited for its time do so no more; they still go after it.
  await moveFollowers(tx, again, { status: 'delivered', next_at: due }, due);
  await refreshEvents(tx, [again.event_id]);
  // Whoever asks for it again knows that the subscriber takes something by now.
  if (target.paused_reason !== null)
    await tx
      .db<EventTables>()
      .updateTable('event_targets')
      .set({ paused_reason: null })
      .where('id', '=', target.id)
      .execute();
  await wakePump(parts, tx, target, due);
}

/** The delivery of an organization. */
export async function findDelivery(
  on: Queryable,
  organizationId: string,
  deliveryId: string,
): Promise<EventDeliveryRow> {
  const row = /^dlv_[0-9a-z]{26}$/.test(deliveryId)
    ? await on
        .db<EventTables>()
        .selectFrom('event_deliveries')
        .selectAll()
        .where('id', '=', deliveryId)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw deliveryNotFound();
  return row;
}

export async function withEvents(on: Queryable, rows: readonly EventDeliveryRow[]): Promise<Delivery[]> {
  if (rows.length === 0) return [];
  const events = await on
    .db<EventTables>()
    .selectFrom('events')
    .selectAll()
    .where('id', 'in', [...new Set(rows.map(({ event_id }) => event_id))])
    .execute();
  const byId = new Map(events.map((event) => [event.id, toCloudEvent(event)]));
  return rows.flatMap((row) => {
    const event = byId.get(row.event_id);
    // Swept between the two reads.
    return event === undefined ? [] : [toDelivery(row, event)];
  });
}

function toDelivery(row: EventDeliveryRow, event: CloudEvent): Delivery {
  return {
    id: row.id,
    status: row.status,
    attempts: row.attempts,
    lastError: row.last_error,
    subscriptionId: row.subscription_id,
    subscriber: row.target_id.startsWith(`${CONNECTION}:`) ? connectionIdOf(row.target_id) : row.target_id,
    nextAt: row.status === 'pending' ? row.next_at : null,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
    event,
  };
}

function deliveryNotFound(): ToolError {
  return new ToolError('not_found', 'Delivery not found');
}
