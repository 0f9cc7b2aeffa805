/** Tools on events: publish, subscribe, cancel and acknowledge. */
import type { Subscription } from '@parley/events';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';
import { IsoTime } from './iso-time.ts';

const ConnectionId = Id.optional().describe('For owners and admins; default: your own');
const Wanted = {
  eventType: z.string().min(1).max(255).describe('Type, prefix.* or *'),
  publisher: z.string().min(1).max(255).optional().describe('Only events of this source'),
  filter: z.string().min(1).max(1000).optional().describe('JSONPath that must select something'),
};
export const SubscriptionItem = z.object({
  id: z.string(),
  connectionId: z.string(),
  eventType: z.string(),
  publisher: z.string().nullable(),
  filter: z.string().nullable(),
  enabled: z.boolean(),
  filterFailures: z.int().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
const NEEDS_CONNECTION = { connection_required: 'The key is bound to no connection.' };

export function shownSubscription({ filterFailures, createdAt, updatedAt, ...rest }: Subscription) {
  return {
    ...rest,
    ...(filterFailures > 0 && { filterFailures }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export const eventPublish = defineTool({
  name: 'EVENT_PUBLISH',
  title: 'Publish Event',
  description:
    'Publish an event now, at a time or by cron. A cron schedule answers with its id, for EVENT_CANCEL.',
  effect: 'create',
  external: true,
  // The bus counts events, published here or over REST.
  ownRate: true,
  input: z.object({
    type: z.string().min(1).max(255).describe('Such as order.paid'),
    subject: z.string().max(255).optional().describe('What it is about'),
    data: z.unknown().optional().describe('At most 256 KiB'),
    deliverAt: IsoTime.optional().describe('Publish then: ISO time with Z or an offset'),
    cron: z.string().min(1).max(100).optional().describe('Publish again and again: 5 or 6 fields'),
    timezone: z.string().min(1).max(64).optional().describe('Of cron; default UTC'),
  }),
  output: z.object({ id: z.string(), type: z.string(), source: z.string(), time: z.string() }),
  run: (input, { services, caller }) => services.eventBus.publish(caller, input),
});

export const eventSubscribe = defineTool({
  name: 'EVENT_SUBSCRIBE',
  title: 'Subscribe to Events',
  description: 'Subscribe a connection to events; the same again is the existing subscription.',
  effect: 'update',
  input: z.object({ ...Wanted, connectionId: ConnectionId }),
  output: z.object({ subscription: SubscriptionItem }),
  errors: NEEDS_CONNECTION,
  run: async ({ connectionId, ...wanted }, { services, caller }) => ({
    subscription: shownSubscription(await services.eventBus.subscribe(caller, wanted, connectionId)),
  }),
});

export const eventUnsubscribe = defineTool({
  name: 'EVENT_UNSUBSCRIBE',
  title: 'Unsubscribe from Events',
  description: 'Remove a subscription of your connection.',
  effect: 'delete',
  input: z.object({ subscriptionId: Id }),
  output: z.object({ success: z.boolean(), subscriptionId: z.string(), removed: z.boolean() }),
  errors: NEEDS_CONNECTION,
  run: async ({ subscriptionId }, { services, caller }) => ({
    success: true,
    subscriptionId,
    removed: await services.eventBus.unsubscribe(caller, subscriptionId),
  }),
});

export const eventCancel = defineTool({
  name: 'EVENT_CANCEL',
  title: 'Cancel Event',
  description: 'Stop a schedule, or an event that is not delivered yet. What was delivered stays delivered.',
  effect: 'delete',
  input: z.object({ eventId: Id.describe('Of an event or a schedule') }),
  output: z.object({ success: z.boolean(), eventId: z.string(), cancelled: z.boolean() }),
  run: async ({ eventId }, { services, caller }) => ({
    success: true,
    eventId,
    cancelled: await services.eventBus.cancel(caller, eventId),
  }),
});

export const eventAck = defineTool({
  name: 'EVENT_ACK',
  title: 'Acknowledge Event',
  description: 'Say that an event arrived, so that it is not sent again.',
  effect: 'update',
  input: z.object({ eventId: Id, connectionId: ConnectionId }),
  output: z.object({ success: z.boolean(), eventId: z.string(), acknowledged: z.int() }),
  errors: NEEDS_CONNECTION,
  run: async ({ eventId, connectionId }, { services, caller }) => ({
    success: true,
    eventId,
    acknowledged: await services.eventBus.acknowledge(caller, eventId, connectionId),
  }),
});

export const eventSubscriptionList = defineTool({
  name: 'EVENT_SUBSCRIPTION_LIST',
  title: 'List Event Subscriptions',
  description: "The organization's subscriptions; with a key of a connection, its own.",
  effect: 'read',
  input: z.object({ connectionId: Id.optional().describe('Only those of this connection') }),
  output: z.object({ subscriptions: z.array(SubscriptionItem) }),
  run: async ({ connectionId }, { services, caller }) => ({
    subscriptions: (await services.eventBus.subscriptions(caller, connectionId)).map(shownSubscription),
  }),
});

export const eventSyncSubscriptions = defineTool({
  name: 'EVENT_SYNC_SUBSCRIPTIONS',
  title: 'Sync Event Subscriptions',
  description: 'Make the subscriptions of a connection exactly these; others are removed.',
  effect: 'delete',
  input: z.object({
    subscriptions: z.array(z.object(Wanted)).max(500).describe('Each type and publisher once'),
    connectionId: ConnectionId,
  }),
  output: z.object({
    created: z.int(),
    updated: z.int(),
    deleted: z.int(),
    unchanged: z.int(),
    subscriptions: z.array(SubscriptionItem),
  }),
  errors: NEEDS_CONNECTION,
  async run({ subscriptions, connectionId }, { services, caller }) {
    const synced = await services.eventBus.sync(caller, subscriptions, connectionId);
    return { ...synced, subscriptions: synced.subscriptions.map(shownSubscription) };
  },
});
