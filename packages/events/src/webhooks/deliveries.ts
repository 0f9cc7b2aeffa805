/** Looking at the deliveries of a webhook, and sending one again. */
import { ToolError } from '@parley/kit';
import type { DeliveryParts } from '../delivery/parts.ts';
import { lockTarget } from '../delivery/pump-task.ts';
import { findDelivery, startAgain } from '../looking/deliveries.ts';
import type { DeliveryStatus, EventTables } from '../schema.ts';
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
    const last = await findDelivery(parts.store, organizationId, before);
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

/** Sends a delivery of a webhook again. */
export async function resendDelivery(
  parts: DeliveryParts,
  organizationId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const { store } = parts;
  const found = await findDelivery(store, organizationId, deliveryId);
  await store.transaction(async (tx) => {
    await lockTarget(tx, found.target_id);
    const webhook = await findWebhook(tx, organizationId, found.target_id);
    if (webhook.state === 'disabled')
      throw new ToolError('conflict', 'The webhook is switched off. Enable it, then send again.');
    await startAgain(parts, tx, found);
  });
  return toDelivery(
    await deliveriesWithEvents(parts).where('event_deliveries.id', '=', deliveryId).executeTakeFirstOrThrow(),
  );
}

function deliveriesWithEvents({ store }: DeliveryParts) {
  return store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .innerJoin('events', 'events.id', 'event_deliveries.event_id')
    .selectAll('event_deliveries')
    .select(['events.type as event_type', 'events.subject']);
}
