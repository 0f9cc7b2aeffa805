/** Retention: what is old goes in small batches, on one replica at a time, and no writer waits for it. */
import type { Store, StoreTransaction } from '@parley/store';
import { inBatches } from '@parley/store';
import { refreshEvents } from './delivery/event-status.ts';
import { PENDING } from './delivery/queue.ts';
import type { EventLimits } from './limits.ts';
import type { EventTables } from './schema.ts';
import { CONNECTION } from './subscribers/target.ts';

const BATCH = 200;
const SWEEP = 'events.sweep';

/** Removes deliveries and events whose time is over, and secrets that sign no more; the signal ends it after a batch. */
export async function sweepEvents(
  { store, limits }: { readonly store: Store; readonly limits: EventLimits },
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const keptSince = now - limits.keepMs;
  const steps: Step[] = [
    dropDeliveries('delivered', keptSince),
    dropDeliveries('cancelled', keptSince),
    dropDeliveries('dead', now - limits.keepDeadMs),
    (tx) => giveUpWaiting(tx, keptSince, now),
    dropEvents(keptSince),
    (tx) => dropSchedules(tx, keptSince),
    (tx) => forgetSecrets(tx, now),
  ];
  for (const step of steps)
    await inBatches(
      store,
      // Nothing is left to do while another replica is at it.
      async (tx) => ((await tx.tryExclusive(SWEEP)) && (await step(tx)) === BATCH ? 'more' : 'done'),
      signal,
    );
}

/** Does one batch, and says how many rows it had. */
type Step = (tx: StoreTransaction) => Promise<number>;

/** Finished ones, the oldest first: what is deleted stays in the index for a while, so each batch begins where the last one ended. */
function dropDeliveries(status: 'delivered' | 'cancelled' | 'dead', before: number): Step {
  let from = 0;
  return async (tx) => {
    const db = tx.db<EventTables>();
    const old = await db
      .selectFrom('event_deliveries')
      .select(['id', 'finished_at'])
      .where('status', '=', status)
      .where('finished_at', '>=', from)
      .where('finished_at', '<', before)
      .orderBy('finished_at')
      .limit(BATCH)
      .execute();
    if (old.length === 0) return 0;
    from = old.at(-1)?.finished_at ?? from;
    const ids = old.map(({ id }) => id);
    // One that is sent again meanwhile stays.
    await db.deleteFrom('event_deliveries').where('id', 'in', ids).where('status', '=', status).execute();
    return old.length;
  };
}

/** The same of events. One that is still under way, or dead and can be sent again, is needed for that. */
function dropEvents(before: number): Step {
  let from = 0;
  return async (tx) => {
    const db = tx.db<EventTables>();
    const old = await db
      .selectFrom('events')
      .select(['events.id', 'events.created_at'])
      .where('events.created_at', '>=', from)
      .where('events.created_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('event_deliveries')
              .select('event_deliveries.id')
              .whereRef('event_deliveries.event_id', '=', 'events.id'),
          ),
        ),
      )
      .orderBy('events.created_at')
      .limit(BATCH)
      .execute();
    if (old.length === 0) return 0;
    from = old.at(-1)?.created_at ?? from;
    const ids = old.map(({ id }) => id);
    await db.deleteFrom('events').where('id', 'in', ids).execute();
    return old.length;
  };
}

/** What nobody could take and nobody acknowledged for as long as events are kept. */
async function giveUpWaiting(tx: StoreTransaction, before: number, now: number): Promise<number> {
  const db = tx.db<EventTables>();
  const old = await db
    .selectFrom('event_deliveries')
    .select(['id', 'event_id'])
    .where('target_id', 'like', `${CONNECTION}:%`)
    .where('status', '=', PENDING)
    .where('attempts', '=', 0)
    .where('last_error', 'is not', null)
    .where('created_at', '<', before)
    .limit(BATCH)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  const given = {
    status: 'dead' as const,
    last_error: 'Nobody took or acknowledged it in time.',
    finished_at: now,
  };
  // One that is taken meanwhile is not given up.
  await db
    .updateTable('event_deliveries')
    .set(given)
    .where('id', 'in', ids)
    .where('status', '=', 'pending')
    .execute();
  await refreshEvents(
    tx,
    old.map(({ event_id }) => event_id),
  );
  return old.length;
}

/** Schedules that fire no more. */
async function dropSchedules(tx: StoreTransaction, before: number): Promise<number> {
  const db = tx.db<EventTables>();
  const old = db
    .selectFrom('event_schedules')
    .select('id')
    .where('next_at', 'is', null)
    .where('updated_at', '<', before)
    .limit(BATCH);
  const gone = await db.deleteFrom('event_schedules').where('id', 'in', old).executeTakeFirst();
  return Number(gone.numDeletedRows);
}

async function forgetSecrets(tx: StoreTransaction, now: number): Promise<number> {
  await tx
    .db<EventTables>()
    .updateTable('webhooks')
    .set({ previous_secret: null, previous_until: null })
    .where('previous_until', '<=', now)
    .execute();
  return 0;
}
