/** Writes events and their deliveries with the commit: their numbers are taken there, so that nobody waits for a number while a publisher thinks. */
import type { RowTableColumns, StoreTransaction } from '@parley/store';
import { lookUpByIndex, rowTable } from '@parley/store';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { EventDeliveryRow, EventRow } from './schema.ts';

/** The condition that an event tells the truth, from its subject; asked with the commit. */
export type OnlyIf = (subject: RawBuilder<string>) => RawBuilder<boolean>;

/** An event that has no number yet. */
export type UnnumberedRow = Omit<EventRow, 'seq'>;
export type UnnumberedDelivery = Omit<EventDeliveryRow, 'seq'>;

interface GivenRow extends UnnumberedRow {
  /** Its place among those of one write. */
  readonly place: number;
}

const EVENT_COLUMNS: RowTableColumns<GivenRow> = {
  id: 'text',
  organization_id: 'text',
  source: 'text',
  type: 'text',
  subject: 'text',
  data: 'text',
  time: 'bigint',
  status: 'text',
  schedule_id: 'text',
  created_at: 'bigint',
  place: 'integer',
};

const DELIVERY_COLUMNS: RowTableColumns<UnnumberedDelivery> = {
  id: 'text',
  organization_id: 'text',
  event_id: 'text',
  subscription_id: 'text',
  target_id: 'text',
  order_key: 'text',
  status: 'text',
  attempts: 'integer',
  status_code: 'integer',
  last_error: 'text',
  next_at: 'bigint',
  created_at: 'bigint',
  finished_at: 'bigint',
  delivered_at: 'bigint',
  deferrals: 'integer',
};

const ALWAYS = sql<boolean>`true`;

/** The rows appear with the commit, in the order of their numbers, so that the cursor of a reader skips none. */
export function writeEvents(
  tx: StoreTransaction,
  { events, deliveries }: { events: readonly UnnumberedRow[]; deliveries: readonly UnnumberedDelivery[] },
  onlyIf: OnlyIf = () => ALWAYS,
): void {
  const rows = events.map((row, place) => ({ ...row, place }));
  const told = rowTable<GivenRow>(tx.engine, 'told', { rows, columns: EVENT_COLUMNS });
  const isTrue = onlyIf(sql.ref<string>('told.subject'));
  lookUpByIndex(tx);
  tx.last(takeNumbers(tx, events, onlyIf));
  tx.last(insertEvents(told, isTrue));
  if (deliveries.length > 0) tx.last(insertDeliveries(tx, deliveries));
}

/** In one order everywhere, so that no two transactions wait for each other. */
function takeNumbers(tx: StoreTransaction, events: readonly UnnumberedRow[], onlyIf: OnlyIf) {
  const asked = rowTable<Pick<EventRow, 'organization_id' | 'subject'>>(tx.engine, 'asked', {
    rows: events,
    columns: { organization_id: 'text', subject: 'text' },
  });
  return sql`
    insert into event_sequences (organization_id, seq)
    select organization_id, count(*) from ${asked} where ${onlyIf(sql.ref<string>('asked.subject'))}
    group by organization_id order by organization_id
    on conflict (organization_id) do update set seq = event_sequences.seq + excluded.seq`;
}

function insertEvents(told: RawBuilder<unknown>, isTrue: RawBuilder<boolean>) {
  const names = Object.keys(EVENT_COLUMNS).filter((name) => name !== 'place');
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const values = sql.join(names.map((name) => sql.ref(`told.${name}`)));
  return sql`
    insert into events (${columns}, seq)
    select ${values}, event_sequences.seq - count(*) over (partition by told.organization_id)
      + row_number() over (partition by told.organization_id order by told.place)
    from ${told} join event_sequences on event_sequences.organization_id = told.organization_id where ${isTrue}`;
}

/** Of the events that were written, for the targets that are still there. */
function insertDeliveries(tx: StoreTransaction, deliveries: readonly UnnumberedDelivery[]) {
  const names = Object.keys(DELIVERY_COLUMNS);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const made = rowTable<UnnumberedDelivery>(tx.engine, 'made', {
    rows: deliveries,
    columns: DELIVERY_COLUMNS,
  });
  return sql`
    insert into event_deliveries (${columns}, seq)
    select ${columns}, seq from (
      select ${columns}, (select events.seq from events where events.id = made.event_id) as seq from ${made}
    ) as numbered
    where seq is not null and (select id from event_targets where event_targets.id = numbered.target_id) is not null`;
}
