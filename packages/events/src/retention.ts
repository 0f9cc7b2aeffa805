/** Retention: what is old goes in small batches, on one replica at a time. */
import type { Store, StoreTransaction } from '@parley/store';
import { refreshEvents } from './delivery/event-status.ts';
import type { EventLimits } from './limits.ts';
import type { EventTables } from './schema.ts';
import { CONNECTION } from './subscribers/target.ts';

const BATCH = 200;
const SWEEP = 'events.sweep';

/** Removes deliveries and events whose time is over, and secrets that sign no more. */
export async function sweepEvents(store: Store, limits: EventLimits, now: number): Promise<void> {
  const keptSince = now - limits.keepMs;
  const steps = [
    (tx: StoreTransaction) => dropDeliveries(tx, ['delivered', 'cancelled'], keptSince),
    (tx: StoreTransaction) => dropDeliveries(tx, ['dead'], now - limits.keepDeadMs),
    (tx: StoreTransaction) => giveUpWaiting(tx, keptSince, now),
    (tx: StoreTransaction) => dropEvents(tx, keptSince),
    (tx: StoreTransaction) => dropSchedules(tx, keptSince),
    (tx: StoreTransaction) => forgetSecrets(tx, now),
  ];
  for (const step of steps) {
    // A turn of the event loop between two batches, so that writers get through.
    while ((await inTurn(store, step)) === BATCH) await new Promise(setImmediate);
  }
}

/** Runs one batch unless another replica is at it. */
function inTurn(store: Store, step: (tx: StoreTransaction) => Promise<number>): Promise<number> {
  return store.transaction(async (tx) => ((await tx.tryExclusive(SWEEP)) ? step(tx) : 0));
}

async function dropDeliveries(
  tx: StoreTransaction,
  statuses: readonly ('delivered' | 'cancelled' | 'dead')[],
  before: number,
): Promise<number> {
  const db = tx.db<EventTables>();
  const old = db
    .selectFrom('event_deliveries')
    .select('id')
    .where('status', 'in', statuses)
    .where('finished_at', '<', before)
    .limit(BATCH);
  const gone = await db.deleteFrom('event_deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(gone.numDeletedRows);
}

async function dropEvents(tx: StoreTransaction, before: number): Promise<number> {
  const db = tx.db<EventTables>();
  const old = db
    .selectFrom('events')
    .select('events.id')
    .where('events.created_at', '<', before)
    // One that is still under way, or dead and can be sent again, is needed for that.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('event_deliveries')
            .select('event_deliveries.id')
            .whereRef('event_deliveries.event_id', '=', 'events.id'),
        ),
      ),
    )
    .limit(BATCH);
  const gone = await db.deleteFrom('events').where('id', 'in', old).executeTakeFirst();
  return Number(gone.numDeletedRows);
}

/** What nobody could take and nobody acknowledged for as long as events are kept. */
async function giveUpWaiting(tx: StoreTransaction, before: number, now: number): Promise<number> {
  const db = tx.db<EventTables>();
  const old = await db
    .selectFrom('event_deliveries')
    .select(['id', 'event_id'])
    .where('target_id', 'like', `${CONNECTION}:%`)
    .where('status', '=', 'pending')
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
  await db.updateTable('event_deliveries').set(given).where('id', 'in', ids).execute();
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
