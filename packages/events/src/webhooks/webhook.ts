/** A webhook and its deliveries as every layer above the tables sees them. */
import { fromJson } from '@parley/store';
import type { DeliveryStatus, EventDeliveryRow, EventRow, WebhookRow } from '../schema.ts';

/** One webhook; its secret is never part of it. */
export interface Webhook {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  /** Event types, `prefix.*` or `*`. */
  readonly events: readonly string[];
  /** Only events of these groups; none means all. */
  readonly groups: readonly string[];
  readonly state: 'enabled' | 'disabled';
  readonly disabledReason: string | null;
  /** Failed attempts since the last one that arrived. */
  readonly failureCount: number;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One event on its way to a webhook. */
export interface WebhookDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly subject: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** What the receiver answered last, if it answered. */
  readonly statusCode: number | null;
  readonly error: string | null;
  /** When the next attempt is due, while there will be one. */
  readonly nextAt: number | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
}

/** The webhook of a row. */
export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    events: fromJson<string[]>(row.events),
    groups: fromJson<string[]>(row.event_groups),
    state: row.state,
    disabledReason: row.disabled_reason,
    failureCount: row.failure_count,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The delivery of a row and its event. */
export function toDelivery(
  row: EventDeliveryRow & { event_type: EventRow['type']; subject: EventRow['subject'] },
): WebhookDelivery {
  return {
    id: row.id,
    webhookId: row.target_id,
    eventId: row.event_id,
    eventType: row.event_type,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    statusCode: row.status_code,
    error: row.last_error,
    nextAt: row.status === 'pending' ? row.next_at : null,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
  };
}
