/** Reading and writing the rows of webhooks; every look is within one organization. */
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import { lockTarget } from '../delivery/pump-task.ts';
import type { EventSubscriptionRow, EventTables, WebhookRow } from '../schema.ts';

/** What an unknown id, a foreign id and no id at all answer. */
export function webhookNotFound(): ToolError {
  return new ToolError('not_found', 'Webhook not found');
}

/** The webhook of an organization. */
export async function findWebhook(
  on: Queryable,
  organizationId: string,
  webhookId: string,
): Promise<WebhookRow> {
  // What cannot be an id is not looked up: PostgreSQL refuses some characters.
  if (!/^webhook_[0-9a-z]{26}$/.test(webhookId)) throw webhookNotFound();
  const row = await on
    .db<EventTables>()
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw webhookNotFound();
  return row;
}

/** The webhook of an organization, held until the transaction ends. */
export async function lockWebhook(
  tx: StoreTransaction,
  organizationId: string,
  webhookId: string,
): Promise<WebhookRow> {
  const { id } = await findWebhook(tx, organizationId, webhookId);
  await lockTarget(tx, id);
  // What was read before the lock may be old.
  return findWebhook(tx, organizationId, id);
}

/** Writes what matching reads: one subscription for each event type in each group. */
export async function writeSubscriptions(
  tx: StoreTransaction,
  webhook: WebhookRow,
  now: number,
): Promise<void> {
  const groups = fromJson<string[]>(webhook.event_groups);
  const rows = fromJson<string[]>(webhook.events).flatMap((type) =>
    (groups.length === 0 ? [''] : groups).map((group): EventSubscriptionRow => ({
      id: typeId('sub', now),
      organization_id: webhook.organization_id,
      target_id: webhook.id,
      event_type: type,
      publisher: '',
      event_group: group,
      filter: '',
      enabled: webhook.state === 'enabled' ? 1 : 0,
      filter_failures: 0,
      created_by: webhook.created_by,
      created_at: now,
      updated_at: now,
    })),
  );
  const db = tx.db<EventTables>();
  await db.deleteFrom('event_subscriptions').where('target_id', '=', webhook.id).execute();
  await db.insertInto('event_subscriptions').values(rows).execute();
}
