/** How a webhook is doing: its failures in a row, and being switched off after too long a row. */
import type { Queryable, StoreTransaction } from '@parley/store';
import { isAmong, isAmongFew, rowLock } from '@parley/store';
import { sql } from 'kysely';
import { refreshEventsLast } from '../delivery/event-status.ts';
import type { Attempt } from '../delivery/parts.ts';
import { STILL_OPEN } from '../delivery/queue.ts';
import type { EventLimits } from '../limits.ts';
import type { EventTables, WebhookRow } from '../schema.ts';

/** Signalled with the id of a webhook that Parley has switched off by itself. */
export const WEBHOOK_DISABLED = 'event.webhook_disabled';

/** The status by which a receiver says that it will never come back. */
export const GONE = 410;

export interface HealthOptions {
  readonly limits: EventLimits;
  readonly now: number;
}

/** Ends the rows of failures of webhooks that took something. Who edits one at this moment is not waited for: the next one ends it. */
export function endFailures(tx: StoreTransaction, webhookIds: readonly string[]): void {
  const failing = sql`
    select id from webhooks where ${isAmong(tx.engine, sql`id`, webhookIds)} and failure_count > 0
    order by id ${rowLock(tx.engine, { skipHeld: true })}`;
  tx.last(sql`
    update webhooks set failure_count = 0, failing_since = null, failed_at = null
    where ${isAmongFew(tx.engine, sql`id`, failing)}`);
}

/** Notes an attempt with the webhook; the last straw switches it off. */
export async function noteAttempt(
  tx: StoreTransaction,
  webhookId: string,
  attempt: Attempt,
  { limits, now }: HealthOptions,
): Promise<void> {
  if (!('statusCode' in attempt)) return;
  const db = tx.db<EventTables>();
  const webhook = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
  const write = (change: Partial<WebhookRow>) =>
    db.updateTable('webhooks').set(change).where('id', '=', webhookId).execute();
  if (attempt.outcome === 'delivered') {
    if (webhook.failure_count > 0) await write({ failure_count: 0, failing_since: null, failed_at: null });
    return;
  }
  // A row of failures that nobody added to for as long is over.
  const isNewRow = webhook.failed_at === null || webhook.failed_at < now - limits.switchOffAfterMs;
  const since = isNewRow ? now : (webhook.failing_since ?? now);
  await write({ failure_count: webhook.failure_count + 1, failing_since: since, failed_at: now });
  const reason = reasonToStop(attempt.statusCode, since, limits, now);
  if (reason === undefined || webhook.state === 'disabled') return;
  await write({ state: 'disabled', disabled_reason: reason, updated_at: now });
  await silence(tx, webhookId, reason, now);
  await tx.signal(WEBHOOK_DISABLED, webhookId);
}

function reasonToStop(
  statusCode: number | null,
  since: number,
  { switchOffAfterMs }: EventLimits,
  now: number,
): string | undefined {
  if (statusCode === GONE)
    return 'Switched off: the receiver answered that it is gone (410). Enable the webhook when it is back.';
  if (now - since < switchOffAfterMs) return undefined;
  const days = Math.round(switchOffAfterMs / 86_400_000);
  return `Switched off: every delivery failed for ${days} days. Repair the receiver, then enable the webhook.`;
}

/** Nothing more is sent: subscriptions match no more, and open deliveries are cancelled, to be sent again at will. */
export async function silence(
  tx: StoreTransaction,
  webhookId: string,
  reason: string,
  now: number,
): Promise<void> {
  const db = tx.db<EventTables>();
  await db
    .updateTable('event_subscriptions')
    .set({ enabled: 0, updated_at: now })
    .where('target_id', '=', webhookId)
    .execute();
  const cancelled = await db
    .updateTable('event_deliveries')
    .set({ status: 'cancelled', last_error: reason, finished_at: now })
    .where('target_id', '=', webhookId)
    .where('status', 'in', STILL_OPEN)
    .returning('event_id')
    .execute();
  refreshEventsLast(
    tx,
    cancelled.map((delivery) => delivery.event_id),
  );
}

/** Whether a webhook hears of events. */
export interface WebhookState {
  readonly id: string;
  /** Why it hears of nothing; null: it does. */
  readonly disabledReason: string | null;
}

/** The webhooks of an organization, or of all. */
export async function webhookStates(from: Queryable, organizationId?: string): Promise<WebhookState[]> {
  let query = from.db<EventTables>().selectFrom('webhooks').select(['id', 'disabled_reason']).orderBy('id');
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return (await query.execute()).map(({ id, disabled_reason }) => ({ id, disabledReason: disabled_reason }));
}
