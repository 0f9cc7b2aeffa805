/** Owns reading events, what became of them, who hears of them, what will be published. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { readHead, useCalmLive } from '../../api/calm-live.ts';
import { get } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import type { Search } from '../../ui/use-screen.ts';

/** An event as it is sent. */
export interface CloudEvent {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly time: string;
  readonly parleyseq: number;
  readonly parleyschedule?: string;
  readonly data?: unknown;
  readonly [field: string]: unknown;
}

/** What became of an event so far. */
export type EventStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** An event in a list; in a replay nobody says what became of it. */
export interface EventLine {
  readonly event: CloudEvent;
  readonly status?: EventStatus;
  readonly hasSubscribers?: boolean;
}

/** One event on its way to one subscriber. */
export interface Delivery {
  readonly id: string;
  readonly status: 'pending' | 'processing' | 'delivered' | 'dead' | 'cancelled';
  readonly attempts: number;
  readonly lastError: string | null;
  readonly subscriptionId: string;
  readonly subscriber: string;
  readonly nextAt: string | null;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
}

/** The same with its event. */
export interface DeliveryWithEvent extends Delivery {
  readonly event: CloudEvent;
}

/** One event in full. */
export interface EventInFull {
  readonly event: CloudEvent;
  readonly status: EventStatus;
  readonly deliveries: readonly Delivery[];
}

/** What a connection asked to hear of. */
export interface Subscription {
  readonly id: string;
  readonly connectionId: string;
  readonly eventType: string;
  readonly publisher: string | null;
  readonly filter: string | null;
  readonly enabled: boolean;
  readonly filterFailures?: number;
  readonly createdAt: string;
}

/** What is still to be published. */
export interface Schedule {
  readonly id: string;
  readonly type: string;
  readonly subject: string | null;
  readonly publisher: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly deliverAt?: string;
  readonly next: string;
}

/** A webhook, without its secret. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: 'enabled' | 'disabled';
  readonly disabledReason: string | null;
  readonly failureCount: number;
  readonly last: { readonly outcome: 'none' | 'delivered' | 'failing'; readonly error: string | null };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A place below the organization of the session. */
export function useOrganizationPath(): (path: string) => string {
  const { organization } = useSession();
  return (path) => `/api/organizations/${encodeURIComponent(organization.id)}/${path}`;
}

const PAGE = 100;
const LIST_MS = 500;

interface NewestPage {
  readonly items: readonly EventLine[];
  readonly cursor: string | null;
  readonly newest: string;
}

const HEAD = {
  rowsOf: (page: NewestPage) => page.items,
  withRows: (page: NewestPage, items: readonly EventLine[]) => ({ ...page, items }),
  keyOf: ({ event }: EventLine) => event.id,
};

/** The newest events that fit; `q` is a type, `prefix.*` or a part that becomes one. */
export function useNewestEvents(search: Search) {
  const at = useOrganizationPath();
  const filters = {
    types: search['type'] ?? typePattern(search['q']),
    source: search['source'],
    subject: search['subject'],
    status: search['status'],
  };
  // Not under the topic itself: with every event all pages would be read again.
  const queryKey = ['event-list', filters];
  const read = (before?: string, signal?: AbortSignal) =>
    get<NewestPage>(at('events/newest'), { query: { ...filters, before, limit: PAGE }, signal });
  useCalmLive('events', LIST_MS, () => readHead({ queryKey, read: () => read(), ...HEAD }));
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
  const at = useOrganizationPath();
  const types = search['type'] ?? typePattern(search['q']);
  return useInfiniteQuery({
    queryKey: ['events', 'replay', search['after'], types],
    queryFn: ({ pageParam, signal }) =>
      get<{ events: CloudEvent[]; cursor: string; hasMore: boolean }>(at('events'), {
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
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['deliveries', 'event', id],
    queryFn: ({ signal }) => get<EventInFull>(at(`events/${encodeURIComponent(id)}`), { signal }),
  });
}

/** Deliveries that fit, newest first. */
export function useDeliveries(search: Search) {
  const at = useOrganizationPath();
  const { status, subscriber } = search;
  return useInfiniteQuery({
    queryKey: ['deliveries', 'list', status, subscriber],
    queryFn: ({ pageParam, signal }) =>
      get<{ deliveries: DeliveryWithEvent[]; hasMore: boolean }>(at('deliveries'), {
        query: { status, subscriber, before: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => (last.hasMore ? last.deliveries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Reads one delivery, which the list may not have read yet. */
export function useReadDelivery() {
  const at = useOrganizationPath();
  return async (id: string, signal: AbortSignal): Promise<DeliveryWithEvent | undefined> => {
    const query = { id };
    return (await get<{ deliveries: DeliveryWithEvent[] }>(at('deliveries'), { query, signal }))
      .deliveries[0];
  };
}

/** Everything that connections asked for. */
export function useSubscriptions(): UseQueryResult<readonly Subscription[]> {
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['events', 'subscriptions'],
    queryFn: ({ signal }) => get<Subscription[]>(at('subscriptions'), { signal }),
  });
}

/** What is still to be published, the next first. */
export function useSchedules(): UseQueryResult<readonly Schedule[]> {
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['schedules', 'events'],
    queryFn: async ({ signal }) =>
      (await get<{ schedules: Schedule[] }>(at('schedules'), { query: { limit: 1000 }, signal })).schedules,
  });
}

/** All webhooks; only those who may do everything are answered. */
export function useWebhooks(): UseQueryResult<readonly Webhook[]> {
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['deliveries', 'webhooks'],
    queryFn: ({ signal }) => get<Webhook[]>(at('webhooks'), { signal }),
    retry: false,
  });
}
