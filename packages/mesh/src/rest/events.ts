/** Routes of events: publish, look at what happened and what will, watch it happen, and start dead deliveries again. */
import type { Delivery, Events, HistoryQuery, ScheduleEntry } from '@parley/events';
import { checkPattern, DEFAULT_EVENT_LIMITS, PUBLISHED } from '@parley/events';
import type { Feed } from '@parley/http/rest';
import { feedStream, limitUpTo, one, timeOrder, whole } from '@parley/http/rest';
import { GivenId, ToolError } from '@parley/kit';
import * as z from 'zod';
import { requireOwn } from './own-organization.ts';
import type { MeshScope } from './route.ts';
import { defineRoute } from './route.ts';
import { eventPublish, shownSubscription, SubscriptionItem } from '../tools/events.ts';

const MAY_LOOK = ['EVENT_SUBSCRIBE'];
const MOST_TYPES = 50;
const WATCH_PAGE = 50;
const TYPES_LENGTH = 4000;
// Of one event: as many subscribers as anybody looks at.
const MOST_DELIVERIES = 200;
// As many as an organization may have, so that one page can hold all.
const MOST_SCHEDULES = DEFAULT_EVENT_LIMITS.schedulesPerOrganization;

const CloudEvent = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  time: z.string(),
  subject: z.string().optional(),
  data: z.unknown().optional(),
  parleyseq: z.int(),
  parleyschedule: z.string().optional().describe('The schedule that fired it'),
});
const EventPage = z.object({
  events: z.array(CloudEvent),
  cursor: z.string().describe('The `after` of the next request'),
  hasMore: z.boolean(),
});
const Status = z
  .enum(['pending', 'delivered', 'failed', 'cancelled'])
  .describe('What became of it so far; failed when a delivery is dead');

const LookedAt = z.object({
  event: CloudEvent,
  status: Status,
  hasSubscribers: z.boolean().describe('false: nobody had subscribed to it, so nothing was delivered'),
});

const NewestPage = z.object({
  items: z.array(LookedAt),
  cursor: z.string().nullable().describe('The `before` of the next request; null on the last page'),
  newest: z.string().describe('The number of the newest event of all'),
});

const DeliveryItem = z.object({
  id: z.string(),
  status: z.enum(['pending', 'processing', 'delivered', 'dead', 'cancelled']),
  attempts: z.int(),
  lastError: z.string().nullable(),
  subscriptionId: z.string(),
  subscriber: z.string().describe('The connection, or the webhook'),
  nextAt: z.string().nullable(),
  createdAt: z.string(),
  deliveredAt: z.string().nullable(),
  event: CloudEvent,
});

const ScheduleItem = z.object({
  id: z.string().describe('For EVENT_CANCEL'),
  type: z.string(),
  subject: z.string().nullable(),
  publisher: z.string().describe('The source of its events'),
  cron: z.string().optional(),
  timezone: z.string().optional().describe('Of cron'),
  deliverAt: z.string().optional().describe('Of one that fires once'),
  next: z.string().describe('When it fires next'),
});

/** A place in the order of events. */
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a cursor of an earlier answer')
  .transform(Number);
const types = z
  .string()
  .max(TYPES_LENGTH)
  .transform((text) => text.split(',').filter((type) => type !== ''))
  .refine((list) => list.length <= MOST_TYPES, `must name at most ${MOST_TYPES} types`)
  .optional()
  .meta({ type: 'string', description: 'Types, prefix.* or *, separated by commas; default: all' });

const shown = ({ nextAt, createdAt, deliveredAt, ...delivery }: Delivery) => ({
  ...delivery,
  event: { ...delivery.event },
  nextAt: isoOrNull(nextAt),
  createdAt: new Date(createdAt).toISOString(),
  deliveredAt: isoOrNull(deliveredAt),
});

/** The schedule with what it was made with: cron and its zone, or the one time. */
function shownSchedule({ nextAt, cron, timezone, ...rest }: ScheduleEntry) {
  const next = new Date(nextAt).toISOString();
  return {
    ...rest,
    ...(cron === null || timezone === null ? { deliverAt: next } : { cron, timezone }),
    next,
  };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Events after a cursor; what was passed over because of its type is not looked at again. */
async function pageAfter(events: Events, organizationId: string, query: HistoryQuery) {
  // Read first: everything up to this number is committed, and so seen by the next read.
  const upTo = await events.history.lastNumber(organizationId);
  const found = await events.history.events(organizationId, query);
  const hasMore = found.length === query.limit;
  const last = found.at(-1)?.parleyseq ?? query.after;
  return { events: found, cursor: String(hasMore ? last : Math.max(last, upTo)), hasMore };
}

/** What a watcher is told: every event from its cursor on, those of other processes too. */
function feedOf({ events }: MeshScope, organizationId: string, wanted: readonly string[]): Feed {
  const place = `${organizationId} `;
  return {
    async begin(lastEventId) {
      const given = cursor.safeParse(lastEventId ?? '');
      return String(given.success ? given.data : await events.history.lastNumber(organizationId));
    },
    async next(after) {
      const page = await pageAfter(events, organizationId, {
        after: Number(after),
        types: wanted,
        limit: WATCH_PAGE,
      });
      const messages = page.events.map((event) => ({
        cursor: String(event.parleyseq),
        data: JSON.stringify(event),
      }));
      return { ...page, messages };
    },
    concerns: ({ topic, payload }) => topic === PUBLISHED && payload?.startsWith(place) === true,
  };
}

export const publishRoute = defineRoute({
  method: 'POST',
  path: '/',
  summary: 'Publish an event now, at a time or by cron',
  who: 'team',
  grants: ['EVENT_PUBLISH'],
  body: eventPublish.input.strict(),
  answer: one('Published', eventPublish.output),
  run: ({ services, caller, body }) => services.eventBus.publish(caller, body),
});

export const eventRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:orgId/events',
    summary: 'Events in their order, from a cursor on',
    who: 'team',
    grants: MAY_LOOK,
    query: z.strictObject({ after: cursor.optional(), types, limit: limitUpTo(100, 100) }),
    answer: one('EventPage', EventPage),
    async run({ events, caller, params, query: { after = 0, types: wanted = [], limit } }) {
      requireOwn(caller, params.orgId);
      const page = await pageAfter(events, params.orgId, { after, types: wanted, limit });
      return { ...page, events: page.events.map((event) => ({ ...event })) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:orgId/events/newest',
    summary: 'Events with what became of them, the newest first',
    who: 'team',
    grants: MAY_LOOK,
    query: z.strictObject({
      before: cursor.optional(),
      types,
      source: z.string().min(1).max(255).optional(),
      subject: z.string().min(1).max(255).optional(),
      status: Status.optional(),
      order: timeOrder,
      limit: limitUpTo(200, 100),
    }),
    answer: one('NewestEvents', NewestPage),
    async run({
      events,
      caller,
      params: { orgId },
      query: { types: wanted = [], limit, before, order, ...query },
    }) {
      requireOwn(caller, orgId);
      const oldestFirst = order === 'asc';
      const newest = await events.history.lastNumber(orgId);
      const found = await events.history.states(orgId, {
        ...query,
        // The last one of the page before; in the other order what is left comes after it.
        ...(oldestFirst ? { after: before ?? 0 } : { after: 0, before }),
        types: wanted,
        limit: limit + 1,
        newestFirst: !oldestFirst,
      });
      const items = found.slice(0, limit).map(({ event, ...rest }) => ({ ...rest, event: { ...event } }));
      const last = items.at(-1)?.event.parleyseq;
      return {
        items,
        cursor: found.length > limit && last !== undefined ? String(last) : null,
        newest: String(newest),
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:orgId/events/:eventId',
    summary: 'One event with what became of it, and its deliveries',
    who: 'team',
    grants: MAY_LOOK,
    answer: one('EventInFull', LookedAt.extend({ deliveries: z.array(DeliveryItem.omit({ event: true })) })),
    async run({ events, caller, params: { orgId, eventId } }) {
      requireOwn(caller, orgId);
      const found = await events.history.event(orgId, eventId);
      if (found === undefined) throw new ToolError('not_found', 'Event not found');
      const deliveries = await events.history.deliveries(orgId, { eventId, limit: MOST_DELIVERIES });
      return {
        event: { ...found.event },
        status: found.status,
        hasSubscribers: found.hasSubscribers,
        deliveries: deliveries.map((delivery) => {
          const { event: _event, ...rest } = shown(delivery);
          return rest;
        }),
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:orgId/watch',
    summary: 'Events as they happen; Last-Event-ID goes on where a stream ended',
    who: 'team',
    grants: MAY_LOOK,
    query: z.strictObject({ types }),
    answer: feedStream,
    async run({ caller, params, query: { types: wanted = [] }, ...scope }) {
      requireOwn(caller, params.orgId);
      for (const type of wanted) checkPattern(type, 'types');
      return feedOf(scope, params.orgId, wanted);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:orgId/subscriptions',
    summary: 'Which connections hear of what',
    who: 'team',
    grants: ['EVENT_SUBSCRIPTION_LIST'],
    answer: whole('Subscription', SubscriptionItem),
    async run({ services, caller, params }) {
      requireOwn(caller, params.orgId);
      return (await services.eventBus.subscriptions(caller)).map(shownSubscription);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:orgId/schedules',
    summary: 'What is still to be published, the next first',
    who: 'team',
    grants: MAY_LOOK,
    query: z.strictObject({ limit: limitUpTo(MOST_SCHEDULES, 100) }),
    answer: one('SchedulePage', z.object({ schedules: z.array(ScheduleItem), hasMore: z.boolean() })),
    async run({ events, caller, params, query: { limit } }) {
      requireOwn(caller, params.orgId);
      const found = await events.history.schedules(params.orgId, limit + 1);
      return { schedules: found.slice(0, limit).map(shownSchedule), hasMore: found.length > limit };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:orgId/deliveries',
    summary: 'Deliveries, such as the dead ones, newest first',
    who: 'team',
    grants: MAY_LOOK,
    query: z.strictObject({
      id: GivenId.optional().describe('This one alone'),
      status: DeliveryItem.shape.status.optional(),
      subscriber: GivenId.optional().describe('A connection or a webhook'),
      text: z.string().min(1).max(200).optional().describe("A part of the event's type"),
      order: timeOrder,
      before: GivenId.optional().describe('The id of the last one of the page before'),
      limit: limitUpTo(100, 20),
    }),
    answer: one('DeliveryPage', z.object({ deliveries: z.array(DeliveryItem), hasMore: z.boolean() })),
    async run({ events, caller, params, query: { order, ...query } }) {
      requireOwn(caller, params.orgId);
      const wanted = { ...query, oldestFirst: order === 'asc' };
      const found = await events.history.deliveries(params.orgId, wanted);
      return { deliveries: found.map(shown), hasMore: found.length === query.limit };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:orgId/deliveries/:id/retry',
    summary: 'Start a delivery again from its first attempt',
    who: 'team',
    grants: MAY_LOOK,
    effect: 'update',
    answer: one('Delivery', DeliveryItem),
    async run({ events, caller, params }) {
      requireOwn(caller, params.orgId);
      return shown(await events.history.retry(params.orgId, params.id));
    },
  }),
];
