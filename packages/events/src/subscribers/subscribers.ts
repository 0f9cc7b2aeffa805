/** The service of subscribers: which connections hear of what, and what they say themselves about their deliveries. */
import type { StoreTransaction } from '@parley/store';
import { refreshEvents } from '../delivery/event-status.ts';
import type { DeliveryParts } from '../delivery/parts.ts';
import { lockTarget, wakePump } from '../delivery/pump-task.ts';
import { STILL_OPEN } from '../delivery/queue.ts';
import type { EventTables } from '../schema.ts';
import type { Asker, Subscription, Wanted } from './rows.ts';
import {
  addSubscription,
  checkWanted,
  holdTarget,
  refuseTooMany,
  subscriptionsOf,
  toSubscription,
} from './rows.ts';
import type { Synced } from './sync.ts';
import { syncSubscriptions } from './sync.ts';
import type { EventHandler, Handlers } from './target.ts';
import { targetIdOf } from './target.ts';

/** The subscriptions of connections; a foreign id is treated like an unknown one. */
export interface Subscribers {
  /** The subscription; the existing one when the connection has asked for the same before. */
  subscribe(asker: Asker, wanted: Wanted): Promise<Subscription>;
  /** False when the connection has no such subscription; what is open for it is cancelled. */
  unsubscribe(place: Place, subscriptionId: string): Promise<boolean>;
  list(organizationId: string, connectionId?: string): Promise<Subscription[]>;
  /** Makes the subscriptions of a connection exactly these. */
  sync(asker: Asker, wanted: readonly Wanted[]): Promise<Synced>;
  /** Marks the open deliveries of an event as arrived; undefined when the connection has none of that event. */
  acknowledge(place: Place, eventId: string): Promise<number | undefined>;
  /** Goes on after a pause. */
  resume(organizationId: string, connectionId: string): Promise<void>;
  /** Forgets a connection that is deleted, in the transaction that deletes it; what is open is dead. */
  forget(tx: StoreTransaction, organizationId: string, connectionId: string): Promise<void>;
  /** Handles events for organizations themselves, in this process; returns the function that ends it. */
  handle(pattern: string, handler: EventHandler): () => void;
}

/** One connection of an organization; without a connection, any of them. */
export interface Place {
  readonly organizationId: string;
  readonly connectionId?: string | undefined;
}

const ID = /^(sub|evt)_[0-9a-z]{26}$/;
const UNSUBSCRIBED = 'The subscription was removed.';

export function createSubscribers(parts: DeliveryParts, handlers: Handlers): Subscribers {
  const { store, limits, now } = parts;
  return {
    async subscribe(asker, wanted) {
      await checkWanted(wanted);
      return store.transaction(async (tx) => {
        await holdTarget(tx, asker);
        const rows = await subscriptionsOf(tx, asker.organizationId, asker.connectionId);
        const same = rows.find(
          (row) =>
            row.event_type === wanted.eventType &&
            row.publisher === (wanted.publisher ?? '') &&
            row.filter === (wanted.filter ?? ''),
        );
        if (same !== undefined) return toSubscription(same);
        refuseTooMany(rows.length + 1, limits);
        return toSubscription(await addSubscription(tx, asker, wanted, now()));
      });
    },

    async unsubscribe({ organizationId, connectionId }, subscriptionId) {
      if (!ID.test(subscriptionId)) return false;
      return store.transaction(async (tx) => {
        const rows = await subscriptionsOf(tx, organizationId, connectionId);
        const row = rows.find(({ id }) => id === subscriptionId);
        if (row === undefined || (await lockTarget(tx, row.target_id)) === undefined) return false;
        const db = tx.db<EventTables>();
        const gone = await db.deleteFrom('event_subscriptions').where('id', '=', row.id).executeTakeFirst();
        await cancelOpen(tx, [row.id], now());
        return gone.numDeletedRows > 0n;
      });
    },

    list: async (organizationId, connectionId) =>
      (await subscriptionsOf(store, organizationId, connectionId)).map(toSubscription),

    sync: (asker, wanted) => syncSubscriptions(parts, asker, wanted, (tx, ids) => cancelOpen(tx, ids, now())),

    async acknowledge({ organizationId, connectionId = '' }, eventId) {
      if (!ID.test(eventId)) return undefined;
      return store.transaction(async (tx) => {
        const targetId = targetIdOf(connectionId);
        const target = await lockTarget(tx, targetId);
        if (target?.organization_id !== organizationId) return undefined;
        const arrived = await tx
          .db<EventTables>()
          .updateTable('event_deliveries')
          .set({ status: 'delivered', last_error: null, finished_at: now(), delivered_at: now() })
          .where('target_id', '=', targetId)
          .where('event_id', '=', eventId)
          .where('status', 'in', STILL_OPEN)
          .returning('id')
          .execute();
        if (arrived.length > 0) await refreshEvents(tx, [eventId]);
        if (arrived.length > 0 || (await hasDelivery(tx, targetId, eventId))) return arrived.length;
        return undefined;
      });
    },

    async resume(organizationId, connectionId) {
      await store.transaction(async (tx) => {
        const target = await lockTarget(tx, targetIdOf(connectionId));
        if (target?.organization_id !== organizationId || target.paused_reason === null) return;
        await tx
          .db<EventTables>()
          .updateTable('event_targets')
          .set({ paused_reason: null })
          .where('id', '=', target.id)
          .execute();
        await wakePump(parts, tx, target, now());
      });
    },

    async forget(tx, organizationId, connectionId) {
      const target = await lockTarget(tx, targetIdOf(connectionId));
      if (target?.organization_id !== organizationId) return;
      const db = tx.db<EventTables>();
      await db.deleteFrom('event_subscriptions').where('target_id', '=', target.id).execute();
      const dead = await db
        .updateTable('event_deliveries')
        .set({ status: 'dead', last_error: 'The connection was deleted.', finished_at: now() })
        .where('target_id', '=', target.id)
        .where('status', 'in', STILL_OPEN)
        .returning('event_id')
        .execute();
      await refreshEvents(
        tx,
        dead.map(({ event_id: id }) => id),
      );
    },

    handle: (pattern, handler) => handlers.add(pattern, handler),
  };
}

async function hasDelivery(tx: StoreTransaction, targetId: string, eventId: string): Promise<boolean> {
  const found = await tx
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .select('id')
    .where('target_id', '=', targetId)
    .where('event_id', '=', eventId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Nobody waits for these any more. */
async function cancelOpen(
  tx: StoreTransaction,
  subscriptionIds: readonly string[],
  now: number,
): Promise<void> {
  if (subscriptionIds.length === 0) return;
  const cancelled = await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set({ status: 'cancelled', last_error: UNSUBSCRIBED, finished_at: now })
    .where('subscription_id', 'in', subscriptionIds)
    .where('status', 'in', STILL_OPEN)
    .returning('event_id')
    .execute();
  await refreshEvents(
    tx,
    cancelled.map(({ event_id: id }) => id),
  );
}
