/** Events: an outbox written with the change, and webhooks that hear of it. Start reading at `events.ts`. */
export type { CloudEvent, NewEvent } from './cloud-event.ts';
export { createEvents } from './events.ts';
export type { Events, EventsOptions } from './events.ts';
export { DEFAULT_EVENT_LIMITS } from './limits.ts';
export type { EventLimits } from './limits.ts';
export { eventMigrations } from './migrations/index.ts';
export type { DeliveryStatus } from './schema.ts';
export type { DeliveryQuery } from './webhooks/deliveries.ts';
export { WEBHOOK_DISABLED } from './webhooks/health.ts';
export type { TestAnswer } from './webhooks/try-out.ts';
export type { Webhook, WebhookDelivery } from './webhooks/webhook.ts';
export type { NewWebhook, WebhookChange, Webhooks, WebhookWithSecret } from './webhooks/webhooks.ts';
