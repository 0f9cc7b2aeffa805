/** Looking at the deliveries of a webhook, and sending one again. */
import { ToolError } from '@parley/kit';
import { refreshEvents } from '../delivery/event-status.ts';
import type { DeliveryParts } from '../delivery/parts.ts';
import { lockTarget, wakePump } from '../delivery/pump-task.ts';
import type { DeliveryStatus, EventDeliveryRow, EventTables } from '../schema.ts';
import { findWebhook } from './rows.ts';
import type { WebhookDelivery } from './webhook.ts';
import { toDelivery } from './webhook.ts';

/** Which deliveries are wanted. */
export interface DeliveryQuery {
  readonly status?: DeliveryStatus;
  readonly limit: number;
  /** Those older than this delivery. */
  readonly before?: string;
}

/** The deliveries of a webhook, newest first. */
export async function listDeliveries(
  parts: DeliveryParts,
  organizationId: string,
  webhookId: string,
  { status, limit, before }: DeliveryQuery,
): Promise<WebhookDelivery[]> {
  const { id } = await findWebhook(parts.store, organizationId, webhookId);
  let query = deliveriesWithEvents(parts)
    .where('event_deliveries.target_id', '=', id)
    .orderBy('event_deliveries.seq', 'desc')
    .limit(limit);
  if (status !== undefined) query = query.where('event_deliveries.status', '=', status);
  if (before !== undefined) {
    const last = await findDelivery(parts, organizationId, before);
    query = query.where('event_deliveries.seq', '<', last.seq);
  }
  return (await query.execute()).map(toDelivery);
}

/** How many deliveries a webhook has. */
export async function countDeliveries(
  { store }: Pick<DeliveryParts, 'store'>,
  organizationId: string,
  webhookId: string,
  status?: DeliveryStatus,
): Promise<number> {
  let query = store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('target_id', '=', webhookId);
  if (status !== undefined) query = query.where('status', '=', status);
  return Number((await query.executeTakeFirstOrThrow()).total);
}

/** Sends a delivery again from its first attempt; it need not have failed. */
export async function resendDelivery(
  parts: DeliveryParts,
  organizationId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const { store, now } = parts;
  const found = await findDelivery(parts, organizationId, deliveryId);
  await store.transaction(async (tx) => {
    const target = await lockTarget(tx, found.target_id);
    if (target === undefined) throw deliveryNotFound();
    const webhook = await findWebhook(tx, organizationId, found.target_id);
    if (webhook.state === 'disabled')
      throw new ToolError('conflict', 'The webhook is switched off. Enable it, then send again.');
    const again = await tx
      .db<EventTables>()
      .updateTable('event_deliveries')
      .set({ status: 'pending', attempts: 0, next_at: now(), finished_at: null, delivered_at: null })
      .where('id', '=', deliveryId)
      .where('status', '!=', 'processing')
      .returning('event_id')
      .executeTakeFirst();
    if (again === undefined)
      throw new ToolError('conflict', 'The delivery is under way. Look again when it has ended.');
    await refreshEvents(tx, [again.event_id]);
    await wakePump(parts, tx, target, now());
  });
  return toDelivery(await findDelivery(parts, organizationId, deliveryId));
}

function deliveriesWithEvents({ store }: DeliveryParts) {
  return store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .innerJoin('events', 'events.id', 'event_deliveries.event_id')
    .selectAll('event_deliveries')
    .select(['events.type as event_type', 'events.subject']);
}

async function findDelivery(
  parts: DeliveryParts,
  organizationId: string,
  deliveryId: string,
): Promise<EventDeliveryRow & { event_type: string; subject: string | null }> {
  const row = /^dlv_[0-9a-z]{26}$/.test(deliveryId)
    ? await deliveriesWithEvents(parts)
        .where('event_deliveries.id', '=', deliveryId)
        .where('event_deliveries.organization_id', '=', organizationId)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw deliveryNotFound();
  return row;
}

function deliveryNotFound(): ToolError {
  return new ToolError('not_found', 'Delivery not found');
}
