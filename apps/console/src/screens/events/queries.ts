/** Owns reading events, what became of them, who hears of them, what will be published. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { readHead, useCalmLive } from '../../api/calm-live.ts';
import { request } from '../../api/request.ts';
import type {
  DeliveryPage,
  EventInFull,
  NewestEvents,
  SchedulePage,
  Subscription,
  Webhook,
} from '../../api/schema.ts';
import { useSession } from '../../api/session.ts';
import { orderOf } from '../../ui/server-order.ts';
import type { Search } from '../../ui/use-screen.ts';

/** An event as it is sent. */
export type CloudEvent = EventInFull['event'];

/** What became of an event so far. */
export type EventStatus = EventInFull['status'];

/** An event in a list; in a replay nobody says what became of it. */
export interface EventLine {
  readonly event: CloudEvent;
  readonly status?: EventStatus;
  readonly hasSubscribers?: boolean;
}

/** One event on its way to one subscriber. */
export type Delivery = EventInFull['deliveries'][number];

/** What is still to be published. */
export type Schedule = SchedulePage['schedules'][number];

/** The organization of the session. */
export function useOrganizationId(): string {
  return useSession().organization.id;
}

const PAGE = 100;
const LIST_MS = 500;

const HEAD = {
  rowsOf: (page: NewestEvents) => page.items,
  withRows: (page: NewestEvents, items: NewestEvents['items']) => ({ ...page, items }),
  keyOf: ({ event }: NewestEvents['items'][number]) => event.id,
};

/** The newest events that fit; `q` is a type, `prefix.*` or a part that becomes one. */
export function useNewestEvents(search: Search) {
  const orgId = useOrganizationId();
  const filters = {
    types: search['type'] ?? typePattern(search['q']),
    source: search['source'],
    subject: search['subject'],
    status: search['status'],
  };
  const order = orderOf(search, 'when');
  // Not under the topic itself: with every event all pages would be read again.
  const queryKey = ['event-list', filters, order];
  const read = (before?: string, signal?: AbortSignal) =>
    request('GET /api/organizations/{orgId}/events/newest', {
      path: { orgId },
      query: { ...filters, before, order, limit: PAGE },
      signal,
    });
  useCalmLive('events', LIST_MS, async () => {
    // From the other end, what is new comes last.
    if (order === undefined) await readHead({ queryKey, read: () => read(), ...HEAD });
  });
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled: search['after'] === undefined,
  });
}

/** Events in their order after a cursor. */
export function useReplay(search: Search) {
  const orgId = useOrganizationId();
  const types = search['type'] ?? typePattern(search['q']);
  return useInfiniteQuery({
    queryKey: ['events', 'replay', search['after'], types],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/organizations/{orgId}/events', {
        path: { orgId },
        query: { after: pageParam, types, limit: PAGE },
        signal,
      }),
    initialPageParam: search['after'] ?? '0',
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined),
    enabled: search['after'] !== undefined,
  });
}

/** What somebody typed as the pattern of a type: a word is the first part of it. */
export function typePattern(text: string | undefined): string | undefined {
  const typed = text?.trim() ?? '';
  if (typed === '') return undefined;
  return typed.includes('.') || typed === '*' ? typed : `${typed},${typed}.*`;
}

/** One event with its deliveries. */
export function useEvent(id: string): UseQueryResult<EventInFull> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['deliveries', 'event', id],
    queryFn: ({ signal }) =>
      request('GET /api/organizations/{orgId}/events/{eventId}', {
        path: { orgId, eventId: id },
        signal,
      }),
  });
}

/** Deliveries that fit, newest first unless it is said otherwise. */
export function useDeliveries(search: Search) {
  const orgId = useOrganizationId();
  const { status, subscriber, q: text } = search;
  const order = orderOf(search, 'when');
  return useInfiniteQuery({
    queryKey: ['deliveries', 'list', status, subscriber, text, order],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/organizations/{orgId}/deliveries', {
        path: { orgId },
        query: { status, subscriber, text, order, before: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => (last.hasMore ? last.deliveries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Reads one delivery, which the list may not have read yet. */
export function useReadDelivery() {
  const orgId = useOrganizationId();
  return async (id: string, signal: AbortSignal): Promise<DeliveryPage['deliveries'][number] | undefined> => {
    const given = { path: { orgId }, query: { id }, signal };
    return (await request('GET /api/organizations/{orgId}/deliveries', given)).deliveries[0];
  };
}

/** Everything that connections asked for. */
export function useSubscriptions(): UseQueryResult<readonly Subscription[]> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['events', 'subscriptions'],
    queryFn: ({ signal }) =>
      request('GET /api/organizations/{orgId}/subscriptions', { path: { orgId }, signal }),
  });
}

/** What is still to be published, the next first. */
export function useSchedules(): UseQueryResult<readonly Schedule[]> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['schedules', 'events'],
    queryFn: async ({ signal }) => {
      const given = { path: { orgId }, query: { limit: 1000 }, signal };
      return (await request('GET /api/organizations/{orgId}/schedules', given)).schedules;
    },
  });
}

/** All webhooks; only those who may do everything are answered. */
export function useWebhooks(): UseQueryResult<readonly Webhook[]> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['deliveries', 'webhooks'],
    queryFn: ({ signal }) => request('GET /api/organizations/{orgId}/webhooks', { path: { orgId }, signal }),
    retry: false,
  });
}
