/** What arrived, of all targets of a process: many attempts in one commit that waits for nobody's rows. */
import type { RowTableColumns, Store, StoreTransaction } from '@parley/store';
import { Batches, isAmong, isAmongFew, isWrittenHere, lookUpByIndex, rowLock, rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { EventDeliveryRow } from '../schema.ts';
import { worked } from './event-status.ts';
import type { TargetKind } from './parts.ts';

/** Deliveries of one attempt, all of which arrived. */
export interface Arrival {
  readonly kind: TargetKind;
  readonly targetId: string;
  readonly rows: readonly ArrivedRow[];
}

/** One of them as it stands after the attempt. */
export type ArrivedRow = Pick<EventDeliveryRow, 'id' | 'attempts' | 'status_code'>;

/** Attempts in one commit; each brings up to a hundred events. */
const MOST = 64;
const COLUMNS: RowTableColumns<ArrivedRow> = { id: 'text', attempts: 'integer', status_code: 'integer' };

/** Writes what arrived. That it did stays true in whosever hands the target is, so no target is looked at. */
export class Arrivals {
  readonly #store: Store;
  readonly #batches: Batches<Arrival, boolean>;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#batches = new Batches(
      (arrivals) => store.spending.within(undefined, () => writeArrivals(store, arrivals, now())),
      { most: MOST },
    );
  }

  /** Resolves after the commit; false when some of it was in other hands, or needed no writing. */
  write(arrival: Arrival): Promise<boolean> {
    return this.#store.spending.wait('database', 'commit', this.#batches.add(arrival));
  }
}

async function writeArrivals(store: Store, arrivals: readonly Arrival[], now: number) {
  let written: ReadonlySet<string> = new Set();
  const write = async (tx: StoreTransaction) => {
    const rows = arrivals.flatMap((arrival) => arrival.rows);
    lookUpByIndex(tx);
    tx.last(arrive(tx, rows, now), (done) => {
      written = new Set(done.map(({ id }) => id));
      return undefined;
    });
    tx.last(workOut(tx, rows));
    for (const [kind, own] of Map.groupBy(arrivals, (arrival) => arrival.kind))
      kind.arrived?.(tx, [...new Set(own.map(({ targetId }) => targetId))]);
  };
  await store.transaction(write, { lane: 'ending' });
  return arrivals.map(({ rows }) => ({ value: rows.every(({ id }) => written.has(id)) }));
}

/** With its event each, so that two transactions which end deliveries of one event see each other; what others hold is left out. */
function arrive(tx: StoreTransaction, rows: readonly ArrivedRow[], now: number) {
  const done = rowTable<ArrivedRow>(tx.engine, 'done', { rows, columns: COLUMNS });
  const unheld = rowLock(tx.engine, { skipHeld: true });
  const own = isAmong(tx.engine, sql`id`, idsOf(rows));
  const events = isAmongFew(tx.engine, sql`id`, sql`select event_id from event_deliveries where ${own}`);
  return sql<{ id: string }>`
    with told as (
      select id from events where ${events} order by id ${unheld}
    ), free as (
      select id from event_deliveries
      where ${own} and ${isAmongFew(tx.engine, sql`event_id`, sql`select id from told`)} order by id ${unheld}
    )
    update event_deliveries set status = 'delivered', attempts = done.attempts, status_code = done.status_code,
      last_error = null, next_at = ${now}, finished_at = ${now}, delivered_at = ${now}
    from ${done} join free on free.id = done.id
    where event_deliveries.id = done.id and event_deliveries.status in ('pending', 'processing', 'cancelled')
    returning event_deliveries.id`;
}

/** Of the events that the statement before holds. */
function workOut(tx: StoreTransaction, rows: readonly ArrivedRow[]) {
  const own = sql`
    select event_id from event_deliveries
    where ${isAmong(tx.engine, sql`event_deliveries.id`, idsOf(rows))}
    and ${isWrittenHere(tx.engine, 'event_deliveries')}`;
  return sql`update events set status = ${worked()} where ${isAmongFew(tx.engine, sql`events.id`, own)}`;
}

const idsOf = (rows: readonly ArrivedRow[]) => rows.map(({ id }) => id);
