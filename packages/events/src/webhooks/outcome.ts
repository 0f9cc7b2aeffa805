/** How the last attempts of a webhook ended, for whoever looks for trouble. */
import type { Queryable } from '@parley/store';
import { OPEN } from '../delivery/queue.ts';
import type { DeliveryStatus, EventTables, WebhookRow } from '../schema.ts';

/** The last outcome. */
export interface WebhookOutcome {
  /** None while nothing was tried, as far as deliveries are kept. */
  readonly outcome: 'none' | 'delivered' | 'failing';
  readonly error: string | null;
}

/** A webhook fails when its last attempt did, or while one of its deliveries is being tried again. */
export async function lastOutcome(
  on: Queryable,
  { id, failure_count: failures }: Pick<WebhookRow, 'id' | 'failure_count'>,
): Promise<WebhookOutcome> {
  const newest = (statuses: readonly DeliveryStatus[]) =>
    on
      .db<EventTables>()
      .selectFrom('event_deliveries')
      .select('last_error')
      .where('target_id', '=', id)
      .where('status', 'in', statuses)
      .orderBy('seq', 'desc')
      .limit(1);
  const open = await newest(OPEN).where('last_error', 'is not', null).executeTakeFirst();
  const failed = open ?? (failures > 0 ? await newest(['dead', 'cancelled']).executeTakeFirst() : undefined);
  if (failed !== undefined || failures > 0)
    return { outcome: 'failing', error: failed?.last_error ?? 'The last attempt failed.' };
  const delivered = await newest(['delivered']).executeTakeFirst();
  return { outcome: delivered === undefined ? 'none' : 'delivered', error: null };
}
