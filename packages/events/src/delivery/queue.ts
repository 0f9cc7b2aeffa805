/** The queue of one target: which delivery is next, and how a run takes it. */
import type { Queryable, StoreTransaction } from '@parley/store';
import { byEngine, isAmongFew, isWrittenHere, lookUpByIndex, rowLock } from '@parley/store';
import { sql } from 'kysely';
import type { EventDeliveryRow, EventRow, EventTables, EventTargetRow } from '../schema.ts';
import type { DeliveryParts, Target } from './parts.ts';
import { lockTarget, nextPump } from './pump-task.ts';

/** The statuses of a delivery that still has to arrive. */
export const OPEN = ['pending', 'processing'] as const;

/** The same as literals for what goes by an index of these alone: a plan for any status could not use it. */
export const PENDING = sql.lit('pending' as const);
const PROCESSING = sql.lit('processing' as const);
export const STILL_OPEN = [PENDING, PROCESSING];

/** A target as one run of a pump holds it. */
export interface HeldTarget extends Target {
  readonly fence: number;
}

/** Deliveries that a run has taken, with their events. */
export interface Claimed {
  readonly deliveries: readonly EventDeliveryRow[];
  readonly events: readonly EventRow[];
}

/** Thrown when another run has the target, or it is gone. */
export class TargetLost extends Error {
  override readonly name = 'TargetLost';
}

/** Takes the target for a run of the pump with a number; undefined when that pump has handed over. */
export function beginRun(
  { store, now }: DeliveryParts,
  targetId: string,
  pump: number,
): Promise<HeldTarget | undefined> {
  return store.transaction(async (tx) => {
    const target = await lockTarget(tx, targetId);
    if (target?.pump !== pump) return undefined;
    const fence = target.fence + 1;
    await tx
      .db<EventTables>()
      .updateTable('event_targets')
      .set({ fence })
      .where('id', '=', targetId)
      .execute();
    await putBack(tx, targetId, now());
    return { id: targetId, fence, kind: target.kind, organization_id: target.organization_id };
  });
}

/** The run that sent these is gone, and nobody knows whether they arrived. */
async function putBack(tx: StoreTransaction, targetId: string, now: number): Promise<void> {
  await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set({ status: 'pending', next_at: now })
    .where('target_id', '=', targetId)
    .where('status', '=', PROCESSING)
    .execute();
}

/** The target, locked, if the run still has it. */
export async function lockHeld(tx: StoreTransaction, held: HeldTarget): Promise<EventTargetRow> {
  const target = await lockTarget(tx, held.id);
  if (target?.fence !== held.fence) throw new TargetLost('Another run has the target now.');
  return target;
}

/** Takes what is due, so many deliveries at most, in one round trip; nothing when the run has lost the target. */
export async function claimDue(parts: DeliveryParts, held: HeldTarget, most: number): Promise<Claimed> {
  let deliveries: readonly EventDeliveryRow[] = [];
  let events: readonly EventRow[] = [];
  await parts.store.transaction(async (tx) => {
    for (const statement of unflushed(tx)) tx.last(statement);
    lookUpByIndex(tx);
    tx.last(takeDue(tx, held, { most, now: parts.now() }), (rows) => {
      deliveries = rows;
      return undefined;
    });
    tx.last(eventsTaken(tx, held), (rows) => {
      events = rows;
      return undefined;
    });
  });
  const taken = new Set(deliveries.map(({ event_id: id }) => id));
  return { deliveries, events: events.filter(({ id }) => taken.has(id)) };
}

/** A claim that a crash of the database takes back is one that was put back: its run has lost its connections with it. */
const unflushed = ({ engine }: Queryable) =>
  byEngine(engine, { sqlite: [], postgres: [sql`set local synchronous_commit = off`] });

/** The target is held before its deliveries, as everywhere, and only when there is something to take. */
function takeDue(
  { engine }: Queryable,
  { id, fence }: HeldTarget,
  { most, now }: { readonly most: number; readonly now: number },
) {
  const due = sql`
    select event_id from event_deliveries due
    where target_id = ${id} and status = 'pending' and next_at <= ${now} and exists (select 1 from held)
    and (order_key = '' or not exists (
      select 1 from event_deliveries earlier where earlier.target_id = ${id} and earlier.order_key = due.order_key
      and earlier.status in ('pending', 'processing') and earlier.seq < due.seq
    ))
    order by next_at, seq limit ${most} ${rowLock(engine, { skipHeld: true })}`;
  // All of one event: a target that asked for it twice gets it once. They are found by their event, however many wait for
  // the target: a planner whose figures are old would believe that these are fewer, and no index has an expression.
  return sql<EventDeliveryRow>`
    with held as (
      select id from event_targets where id = ${id} and fence = ${fence} and paused_reason is null and exists (
        select 1 from event_deliveries where target_id = ${id} and status = 'pending' and next_at <= ${now}
      ) ${rowLock(engine, { isShared: true })}
    )
    update event_deliveries set status = 'processing'
    where ${isAmongFew(engine, sql`event_id`, due)}
    and coalesce(target_id, '') = ${id} and coalesce(status, '') = 'pending' returning *`;
}

function eventsTaken({ engine }: Queryable, { id }: HeldTarget) {
  const taken = sql`
    select event_id from event_deliveries where target_id = ${id} and status = 'processing'
    and ${isWrittenHere(engine, 'event_deliveries')}`;
  return sql<EventRow>`select * from events where ${isAmongFew(engine, sql`id`, taken)} order by seq`;
}

/** Ends a run that has nothing under way: the next pump comes when the next delivery is due. False when one is due now and the run may go on. */
export async function handOver(
  parts: DeliveryParts,
  held: HeldTarget,
  { mayGoOn, notBefore = 0 }: { mayGoOn: boolean; notBefore?: number },
): Promise<boolean> {
  const isOver = await parts.store.transaction(async (tx) => {
    const target = await lockHeld(tx, held);
    await putBack(tx, held.id, parts.now());
    const [next] = target.paused_reason === null ? await nextDeliveries(tx, held.id, 1) : [];
    if (mayGoOn && next !== undefined && next.next_at <= parts.now()) return false;
    await nextPump(parts, tx, target, next && Math.max(next.next_at, notBefore));
    return true;
  });
  if (!isOver) return false;
  parts.waker.rested(held.id);
  // Whoever published meanwhile saw this pump at work, and left it to us.
  const [missed] = await nextDeliveries(parts.store, held.id, 1);
  if (missed !== undefined) parts.waker.wake(held.id, Math.max(missed.next_at, notBefore));
  return true;
}

/** The earliest pending deliveries that no open one with the same key stands before. */
function nextDeliveries(on: Queryable, targetId: string, limit: number): Promise<EventDeliveryRow[]> {
  return on
    .db<EventTables>()
    .selectFrom('event_deliveries as delivery')
    .selectAll('delivery')
    .where('delivery.target_id', '=', targetId)
    .where('delivery.status', '=', PENDING)
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('delivery.order_key', '=', ''),
        not(
          exists(
            selectFrom('event_deliveries as before')
              .select('before.id')
              .where('before.target_id', '=', targetId)
              .whereRef('before.order_key', '=', 'delivery.order_key')
              .where('before.status', 'in', STILL_OPEN)
              .whereRef('before.seq', '<', 'delivery.seq'),
          ),
        ),
      ]),
    )
    .orderBy('delivery.next_at')
    .orderBy('delivery.seq')
    .limit(limit)
    .execute();
}
