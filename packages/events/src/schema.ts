/** The tables of events, as queries see them. */

/** Where an event stands: open while a delivery is, failed when one is dead. */
export type EventStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** Where a delivery stands; the first two are open. */
export type DeliveryStatus = 'pending' | 'processing' | 'delivered' | 'dead' | 'cancelled';

/** The last number given to an event of an organization. */
export interface EventSequenceRow {
  organization_id: string;
  seq: number;
}

/** One event of the outbox. */
export interface EventRow {
  id: string;
  organization_id: string;
  seq: number;
  source: string;
  type: string;
  subject: string | null;
  /** JSON; null when the event has no data. */
  data: string | null;
  time: number;
  status: EventStatus;
  /** The schedule that fired it. */
  schedule_id: string | null;
  created_at: number;
}

/** Something that events are delivered to: a webhook, a connection, and whatever kinds come beside them. */
export interface EventTargetRow {
  id: string;
  organization_id: string;
  kind: string;
  /** Counts the pump tasks; there is one unfinished pump per number. */
  pump: number;
  /** Rises with every run of a pump; a run under an older number may claim nothing. */
  fence: number;
  /** When the pump of that number is due; null while there is none. */
  pump_at: number | null;
  /** Why nothing is sent until somebody resumes it. */
  paused_reason: string | null;
}

/** What one target wants to hear; empty text means any. */
export interface EventSubscriptionRow {
  id: string;
  organization_id: string;
  target_id: string;
  event_type: string;
  publisher: string;
  event_group: string;
  filter: string;
  enabled: number;
  /** How often the filter could not be evaluated. */
  filter_failures: number;
  /** The user whose power deliveries have. */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

/** One event on its way to one target. */
export interface EventDeliveryRow {
  id: string;
  organization_id: string;
  event_id: string;
  /** Not a foreign key: what was matched stays matched when the subscription goes. */
  subscription_id: string;
  target_id: string;
  /** Empty: in no order. */
  order_key: string;
  seq: number;
  status: DeliveryStatus;
  attempts: number;
  status_code: number | null;
  last_error: string | null;
  /** When it may be tried; never before those that it stands behind. */
  next_at: number;
  created_at: number;
  finished_at: number | null;
  delivered_at: number | null;
  /** How often the subscriber asked for more time. */
  deferrals: number;
}

/** Events to come: one at a time, or again and again. */
export interface EventScheduleRow {
  /** Of one that fires once, the id of its event. */
  id: string;
  organization_id: string;
  source: string;
  type: string;
  /** Empty: none. */
  subject: string;
  data: string | null;
  /** Empty: fires once. */
  cron: string;
  timezone: string;
  /** Null when it fires no more. */
  next_at: number | null;
  last_at: number | null;
  cancelled_at: number | null;
  created_at: number;
  updated_at: number;
}

/** One webhook; its id is that of its target. */
export interface WebhookRow {
  id: string;
  organization_id: string;
  url: string;
  events: string;
  event_groups: string;
  state: 'enabled' | 'disabled';
  disabled_reason: string | null;
  failure_count: number;
  failing_since: number | null;
  failed_at: number | null;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface EventTables {
  event_sequences: EventSequenceRow;
  events: EventRow;
  event_targets: EventTargetRow;
  event_subscriptions: EventSubscriptionRow;
  event_deliveries: EventDeliveryRow;
  event_schedules: EventScheduleRow;
  webhooks: WebhookRow;
}
