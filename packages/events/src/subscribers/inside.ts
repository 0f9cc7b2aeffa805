/** Parts of this program as targets: they hear of events like webhooks and connections do, without a call leaving the process. */
import type { StoreTransaction } from '@parley/store';
import type { CloudEvent, UnnumberedEvent } from '../cloud-event.ts';
import { refreshEvents } from '../delivery/event-status.ts';
import type { Attempt, DeliveryParts, TargetKind } from '../delivery/parts.ts';
import { lockTarget, newTarget } from '../delivery/pump-task.ts';
import { STILL_OPEN } from '../delivery/queue.ts';
import type { EventLimits } from '../limits.ts';
import type { EventTables } from '../schema.ts';
import type { Wanted } from './rows.ts';
import { checkWanted, insertSubscription } from './rows.ts';

/** One listener of an organization. */
export interface Listener {
  readonly organizationId: string;
  readonly id: string;
}

/** Takes one event, at least once; the answer says how long to wait when it has no room for it yet. */
export type InsideHandler = (
  listener: Listener,
  event: CloudEvent,
  signal: AbortSignal,
) => Promise<{ readonly retryAfterMs: number } | undefined>;

/** The ids of the only listeners that may hear of an event, for one that others may know nothing of; undefined: all. */
export type Audience = (
  tx: StoreTransaction,
  event: UnnumberedEvent,
) => Promise<readonly string[] | undefined>;

/** The listeners of one kind. */
export interface Inside {
  /** Refuses what could never match, before a transaction begins. */
  check(wanted: Wanted): Promise<void>;
  /** From the commit on, the listener hears of these events and no others. */
  listen(tx: StoreTransaction, listener: Listener, wanted: Wanted): Promise<void>;
  /** From the commit on it hears of nothing; what is under way for it is dropped. */
  forget(tx: StoreTransaction, listener: Listener): Promise<void>;
}

const insideId = (kind: string, listenerId: string) => `${kind}:${listenerId}`;

const GONE = 'The listener is gone.';

export function createInside(parts: Pick<DeliveryParts, 'now'>, kind: string): Inside {
  const targetIdOf = ({ id }: Listener) => insideId(kind, id);
  const drop = async (tx: StoreTransaction, targetId: string) => {
    const db = tx.db<EventTables>();
    await db.deleteFrom('event_subscriptions').where('target_id', '=', targetId).execute();
    const dropped = await db
      .updateTable('event_deliveries')
      .set({ status: 'cancelled', last_error: GONE, finished_at: parts.now() })
      .where('target_id', '=', targetId)
      .where('status', 'in', STILL_OPEN)
      .returning('event_id')
      .execute();
    await refreshEvents(
      tx,
      dropped.map(({ event_id: id }) => id),
    );
  };
  return {
    check: checkWanted,
    async listen(tx, listener, wanted) {
      const targetId = targetIdOf(listener);
      const { organizationId } = listener;
      await tx
        .db<EventTables>()
        .insertInto('event_targets')
        .values(newTarget({ id: targetId, organization_id: organizationId }, kind))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      await lockTarget(tx, targetId);
      await drop(tx, targetId);
      await insertSubscription(tx, { organizationId, targetId, createdBy: null }, wanted, parts.now());
    },
    async forget(tx, listener) {
      const targetId = targetIdOf(listener);
      if ((await lockTarget(tx, targetId)) !== undefined) await drop(tx, targetId);
    },
  };
}

/** Delivers to the listeners of one kind, one event after the other. */
export function insideTarget(
  { limits, onFault }: Pick<DeliveryParts, 'onFault'> & { readonly limits: EventLimits },
  kind: string,
  handler: InsideHandler,
  audience: Audience = async () => undefined,
): TargetKind {
  return {
    kind,
    retryDelaysMs: limits.subscriberRetryDelaysMs,
    jitter: limits.subscriberJitter,
    lanes: 1,
    batch: 1,
    isOrdered: false,
    perSubscription: false,
    async audience(tx, event) {
      const ids = await audience(tx, event);
      return ids && new Set(ids.map((id) => insideId(kind, id)));
    },
    async attempt(target, { events }, signal) {
      const listener = { organizationId: target.organization_id, id: target.id.slice(kind.length + 1) };
      const attempts = new Map<string, Attempt>();
      for (const event of events) attempts.set(event.id, await tryOnce(listener, event, signal));
      return attempts;
    },
    settled: async () => undefined,
  };

  async function tryOnce(listener: Listener, event: CloudEvent, signal: AbortSignal): Promise<Attempt> {
    try {
      const later = await handler(listener, event, signal);
      if (later !== undefined) return { outcome: 'deferred', delayMs: later.retryAfterMs };
      return { outcome: 'delivered', statusCode: null };
    } catch (error) {
      signal.throwIfAborted();
      onFault(error, `event ${kind}`);
      return { outcome: 'failed', statusCode: null, error: 'It could not be handled.' };
    }
  }
}
