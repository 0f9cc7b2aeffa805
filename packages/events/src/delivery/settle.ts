/** What an attempt changes: its deliveries, those that wait behind them, their events and their target. */
import type { StoreTransaction } from '@parley/store';
import type { EventDeliveryRow, EventTables } from '../schema.ts';
import { refreshEventsLast } from './event-status.ts';
import type { Attempt, DeliveryParts, TargetKind } from './parts.ts';
import { lockTarget } from './pump-task.ts';
import type { Claimed, HeldTarget } from './queue.ts';
import { OPEN, PENDING } from './queue.ts';
import type { ArrivedRow } from './arrivals.ts';

/** How often a subscriber may ask for more time before that counts as a failure. */
const MOST_DEFERRALS = 1000;
/** What waits for somebody to say that it arrived is looked at again as often. */
const WAIT_MS = 24 * 60 * 60_000;

/** An attempt that has ended. */
export interface Settlement {
  readonly kind: TargetKind;
  readonly claimed: Claimed;
  /** By event. */
  readonly attempts: ReadonlyMap<string, Attempt>;
}

/** Stores the end of an attempt: together with others when all of it arrived, alone when there is more to be changed. */
export async function settle(parts: DeliveryParts, held: HeldTarget, settlement: Settlement): Promise<void> {
  const rows = arrivedRows(settlement);
  const arrival = rows && { kind: settlement.kind, targetId: held.id, rows };
  if (arrival !== undefined && (await parts.arrivals.write(arrival))) return;
  await settleAlone(parts, held, settlement);
}

/** The rows when every one of them arrived. */
function arrivedRows({ claimed, attempts }: Settlement): ArrivedRow[] | undefined {
  const rows: ArrivedRow[] = [];
  for (const { id, event_id: eventId, attempts: before } of claimed.deliveries) {
    const attempt = attempts.get(eventId);
    if (attempt?.outcome !== 'delivered') return undefined;
    rows.push({ id, attempts: before + 1, status_code: attempt.statusCode });
  }
  return rows;
}

function settleAlone(parts: DeliveryParts, held: HeldTarget, settlement: Settlement): Promise<void> {
  const { kind, attempts } = settlement;
  const work = async (tx: StoreTransaction) => {
    const locked = await lockTarget(tx, held.id);
    if (locked === undefined) return;
    const isOurs = locked.fence === held.fence;
    const now = parts.now();
    const written: EventDeliveryRow[] = [];
    for (const { attempt, rows, change } of changesOf(settlement, now)) {
      // That it arrived stays true in the hands of another run; that it failed is no longer ours to say.
      if (!isOurs && attempt.outcome !== 'delivered') continue;
      const ids = await write(tx, rows, attempt, change);
      written.push(...rows.filter(({ id }) => ids.has(id)));
      for (const row of rows) if (ids.has(row.id)) await moveFollowers(tx, row, change, now);
    }
    if (written.length === 0) return;
    const eventIds = new Set(written.map(({ event_id }) => event_id));
    refreshEventsLast(tx, [...eventIds]);
    const told = [...attempts].filter(([eventId]) => eventIds.has(eventId)).map(([, attempt]) => attempt);
    await pauseIfAsked(tx, held.id, told);
    await kind.settled(tx, held, told);
  };
  return parts.store.transaction(work, { lane: 'ending' });
}

type Change = Pick<
  EventDeliveryRow,
  | 'status'
  | 'attempts'
  | 'status_code'
  | 'last_error'
  | 'next_at'
  | 'finished_at'
  | 'delivered_at'
  | 'deferrals'
>;

interface ChangeOfRows {
  readonly attempt: Attempt;
  readonly rows: EventDeliveryRow[];
  readonly change: Change;
}

/** What happens to which rows: those that change alike are written at once. */
function changesOf({ kind, claimed, attempts }: Settlement, now: number): ChangeOfRows[] {
  const alike = new Map<string, ChangeOfRows>();
  for (const row of claimed.deliveries) {
    const attempt = attempts.get(row.event_id);
    if (attempt === undefined) continue;
    const key = JSON.stringify([attempt, row.attempts, row.deferrals]);
    const known = alike.get(key);
    if (known !== undefined) known.rows.push(row);
    else alike.set(key, { attempt, rows: [row], change: changeOf(row, attempt, kind, now) });
  }
  return [...alike.values()];
}

function changeOf(row: EventDeliveryRow, attempt: Attempt, kind: TargetKind, now: number): Change {
  const { attempts: before, deferrals } = row;
  const attempts = before + 1;
  const kept = { attempts: before, status_code: null, deferrals, next_at: now, delivered_at: null };
  switch (attempt.outcome) {
    case 'delivered': {
      const { statusCode: status_code } = attempt;
      const arrived = { status: 'delivered' as const, finished_at: now, delivered_at: now };
      return { ...kept, ...arrived, attempts, status_code, last_error: null };
    }
    case 'cancelled':
      return { ...kept, status: 'cancelled', finished_at: now, last_error: attempt.error };
    case 'paused':
      return { ...kept, status: 'pending', finished_at: null, last_error: attempt.error };
    case 'waiting':
      return {
        ...kept,
        status: 'pending',
        finished_at: null,
        last_error: attempt.error,
        next_at: now + WAIT_MS,
      };
    case 'deferred': {
      if (deferrals >= MOST_DEFERRALS)
        return changeOf(row, { outcome: 'failed', statusCode: null, error: TOO_OFTEN }, kind, now);
      const later = { next_at: now + attempt.delayMs, deferrals: deferrals + 1 };
      return { ...kept, ...later, status: 'pending', finished_at: null, last_error: null };
    }
    case 'failed':
    case 'dead': {
      const delayMs = attempt.outcome === 'dead' ? undefined : kind.retryDelaysMs[before];
      const failed = { ...kept, attempts, status_code: attempt.statusCode, last_error: attempt.error };
      if (delayMs === undefined) return { ...failed, status: 'dead', finished_at: now };
      const waitMs = Math.round(delayMs * (1 + kind.jitter * Math.random()));
      return { ...failed, status: 'pending', next_at: now + waitMs, finished_at: null };
    }
  }
}

const TOO_OFTEN = `The subscriber asked for more time over ${MOST_DEFERRALS} times.`;

/** The ids of the rows that were still open. */
async function write(
  tx: StoreTransaction,
  rows: readonly EventDeliveryRow[],
  attempt: Attempt,
  change: Change,
): Promise<ReadonlySet<string>> {
  const written = await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set(change)
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    // Cancelled while it was under way: only an arrival changes that.
    .where('status', 'in', attempt.outcome === 'delivered' ? [...OPEN, 'cancelled'] : OPEN)
    .returning('id')
    .execute();
  return new Set(written.map(({ id }) => id));
}

async function pauseIfAsked(
  tx: StoreTransaction,
  targetId: string,
  attempts: readonly Attempt[],
): Promise<void> {
  const paused = attempts.find(({ outcome }) => outcome === 'paused');
  if (paused?.outcome !== 'paused') return;
  const change = { paused_reason: paused.error };
  await tx.db<EventTables>().updateTable('event_targets').set(change).where('id', '=', targetId).execute();
}

/**
 * Those behind it in its order wait as long as it does, and no longer. So none waits for longer than one that is due, and
 * what arrives has nobody to call.
 */
export async function moveFollowers(
  tx: StoreTransaction,
  delivery: Pick<EventDeliveryRow, 'target_id' | 'order_key' | 'seq'>,
  { status, next_at }: Pick<Change, 'status' | 'next_at'>,
  now: number,
): Promise<void> {
  if (delivery.order_key === '') return;
  const isWaiting = status === 'pending';
  await tx
    .db<EventTables>()
    .updateTable('event_deliveries')
    .set({ next_at: isWaiting ? next_at : now })
    .where('target_id', '=', delivery.target_id)
    .where('order_key', '=', delivery.order_key)
    .where('status', '=', PENDING)
    .where('seq', '>', delivery.seq)
    .where('attempts', '=', 0)
    .where('next_at', isWaiting ? '<' : '>', isWaiting ? next_at : now)
    .execute();
}
