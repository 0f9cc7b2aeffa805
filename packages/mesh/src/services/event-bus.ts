/** The event bus as callers see it: who acts, in whose name, and how often. */
import type { Events, Subscription, Synced, Wanted } from '@parley/events';
import { selfOf, sourceOfCaller } from '@parley/events';
import { TokenBuckets } from '@parley/http';
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError } from '@parley/kit';
import { mayNameConnections } from './named-connections.ts';

/** What a caller publishes. */
export interface Publication {
  readonly type: string;
  readonly subject?: string | undefined;
  readonly data?: unknown;
  readonly deliverAt?: string | undefined;
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
}

/** What became of it: the event, or what it will be. */
export interface Published {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly time: string;
}

export interface EventBus {
  publish(caller: Caller, publication: Publication): Promise<Published>;
  subscribe(caller: Caller, wanted: Wanted, connectionId?: string): Promise<Subscription>;
  unsubscribe(caller: Caller, subscriptionId: string): Promise<boolean>;
  cancel(caller: Caller, eventId: string): Promise<boolean>;
  acknowledge(caller: Caller, eventId: string, connectionId?: string): Promise<number>;
  subscriptions(caller: Caller, connectionId?: string): Promise<Subscription[]>;
  sync(caller: Caller, wanted: readonly Wanted[], connectionId?: string): Promise<Synced>;
}

export interface EventBusParts {
  readonly events: Events;
  /** Whether an organization has a connection, apart from the one that stands for itself. */
  hasConnection(organizationId: string, connectionId: string): Promise<boolean>;
  /** The clock of the rate, in milliseconds. */
  readonly now?: () => number;
}

const PER_SECOND = 100;
const BURST = 200;

export function createEventBus({ events, hasConnection, now }: EventBusParts): EventBus {
  const rate = new TokenBuckets(PER_SECOND, BURST, now);

  /** The connection that a caller subscribes for: the one it is bound to, or any that an administrator names. */
  async function subscriberOf(caller: Caller, named: string | undefined) {
    const { organizationId, userId: createdBy } = caller;
    const connectionId = mayNameConnections(caller)
      ? (named ?? caller.connectionId ?? selfOf(organizationId))
      : boundConnection(caller, named);
    if (connectionId !== selfOf(organizationId)) await requireConnection(organizationId, connectionId);
    return { organizationId, connectionId, createdBy };
  }

  /** Also asked for the connection that a key is bound to, which the key outlives. */
  async function requireConnection(organizationId: string, connectionId: string): Promise<void> {
    if (!(await hasConnection(organizationId, connectionId)))
      throw new ToolError('not_found', `Connection not found: ${connectionId}`);
  }

  return {
    async publish(caller, { deliverAt, cron, timezone, ...publication }) {
      if (deliverAt !== undefined || cron !== undefined) requireLasting(caller, 'schedules of events');
      if (deliverAt !== undefined && cron !== undefined)
        throw new ToolError('invalid', 'deliverAt: give deliverAt or cron, not both.');
      if (timezone !== undefined && cron === undefined)
        throw new ToolError(
          'invalid',
          'timezone: this is the time zone of cron. Give cron too, or leave it away.',
        );
      // Whoever hears of one of these takes it for what Parley itself has seen.
      if (events.ownTypes.has(publication.type))
        throw new ToolError(
          'invalid',
          `type: ${publication.type} is published by Parley itself. Choose another.`,
        );
      const waitMs = rate.take(`${caller.organizationId} ${caller.id}`);
      if (waitMs > 0)
        throw new ToolError('rate_limited', `At most ${PER_SECOND} events a second. Try again in a moment.`, {
          retryAfterMs: Math.ceil(waitMs),
        });
      const { organizationId, connectionId } = caller;
      if (connectionId !== undefined && connectionId !== selfOf(organizationId))
        await requireConnection(organizationId, connectionId);
      const { subject, ...rest } = publication;
      const event = { organizationId, source: sourceOf(caller), ...rest, ...(subject && { subject }) };
      if (cron === undefined && deliverAt === undefined) {
        const { id, type, source, time } = await events.publishNow(event);
        return { id, type, source, time };
      }
      const when =
        cron === undefined
          ? { deliverAt: Date.parse(deliverAt ?? '') }
          : { cron, timezone: timezone ?? 'UTC' };
      const { id, type, source, nextAt } = await events.schedule({ ...event, ...when });
      return { id, type, source, time: new Date(nextAt).toISOString() };
    },

    subscribe: async (caller, wanted, connectionId) =>
      events.subscribers.subscribe(await subscriberOf(caller, connectionId), wanted),

    async unsubscribe(caller, subscriptionId) {
      const { organizationId } = caller;
      const place = mayNameConnections(caller) ? {} : { connectionId: boundConnection(caller) };
      return events.subscribers.unsubscribe({ organizationId, ...place }, subscriptionId);
    },

    cancel(caller, eventId) {
      const { organizationId } = caller;
      const own = mayNameConnections(caller) ? {} : { source: sourceOf(caller) };
      return events.cancel({ organizationId, ...own }, eventId);
    },

    async acknowledge(caller, eventId, connectionId) {
      const place = await subscriberOf(caller, connectionId);
      const count = await events.subscribers.acknowledge(place, eventId);
      if (count === undefined) throw new ToolError('not_found', `Event not found: ${eventId}`);
      return count;
    },

    async subscriptions(caller, connectionId) {
      const { organizationId } = caller;
      // A key that acts for a connection sees what that one asked for.
      const isBound = caller.connectionId !== undefined && !mayNameConnections(caller);
      const place = isBound ? boundConnection(caller, connectionId) : connectionId;
      return events.subscribers.list(organizationId, place);
    },

    sync: async (caller, wanted, connectionId) =>
      events.subscribers.sync(await subscriberOf(caller, connectionId), wanted),
  };
}

/** In whose name a caller publishes; nobody but Parley itself speaks for the organization. */
function sourceOf({ id, organizationId, connectionId }: Caller): string {
  const isOwn = connectionId !== undefined && connectionId !== selfOf(organizationId);
  return isOwn ? connectionId : sourceOfCaller(id);
}

function boundConnection({ connectionId }: Caller, named?: string): string {
  if (connectionId === undefined)
    throw new ToolError(
      'connection_required',
      'This key acts for no connection. Use a key that is bound to one, or ask an owner or admin.',
    );
  if (named !== undefined && named !== connectionId)
    throw new ToolError('forbidden', 'connectionId: only an owner or admin may name another connection.');
  return connectionId;
}
