/** The outbox: events, their deliveries and the work that they make, all in the transaction of the change. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { CloudEvent, NewEvent } from './cloud-event.ts';
import { checkEvent, toCloudEvent } from './cloud-event.ts';
import type { DeliveryParts } from './delivery/parts.ts';
import { OPEN } from './delivery/queue.ts';
import { lockTarget, wakePump } from './delivery/pump-task.ts';
import { askFilters } from './filter-budget.ts';
import type { Candidate } from './matching.ts';
import { findCandidates } from './matching.ts';
import type { EventDeliveryRow, EventRow, EventTables } from './schema.ts';

/** Told in the transaction that publishes: `organization type`. */
export const PUBLISHED = 'event.published';

// Databases bound the values of one statement.
const CHUNK = 500;
/** After so many reads by filters, about 5 ms, the event loop has a turn before the next event. */
const READS_PER_TURN = 4_000;

interface Written {
  readonly given: NewEvent;
  readonly event: CloudEvent;
  readonly row: EventRow;
  readonly wanted: readonly Candidate[];
}

/** Writes events of one transaction, and a delivery for everyone who wants them. */
export async function publishEvents(
  parts: DeliveryParts,
  tx: StoreTransaction,
  given: readonly NewEvent[],
): Promise<CloudEvent[]> {
  const data = given.map((event) => checkEvent(event, parts.limits));
  const now = parts.now();
  const seqs = await nextSeqs(tx, given);
  const candidatesFor = once(matchKey, (event: NewEvent) => findCandidates(tx, event));
  const written: Written[] = [];
  const failures = new Map<string, number>();
  let readsInTurn = 0;
  for (const [index, event] of given.entries()) {
    const row: EventRow = {
      id: event.id ?? typeId('evt', now),
      organization_id: event.organizationId,
      seq: seqs[index] ?? 0,
      source: event.source,
      type: event.type,
      subject: event.subject ?? null,
      data: data[index] ?? null,
      time: event.time ?? now,
      status: 'delivered',
      schedule_id: event.scheduleId ?? null,
      created_at: now,
    };
    const cloudEvent = toCloudEvent(row);
    const { wanted, failed, reads } = await askFilters(
      parts.heldFilters,
      await heardBy(parts, tx, await candidatesFor(event), cloudEvent),
      cloudEvent,
    );
    readsInTurn += reads;
    if (readsInTurn > READS_PER_TURN) {
      readsInTurn = 0;
      await nextTurn();
    }
    for (const id of failed) failures.set(id, (failures.get(id) ?? 0) + 1);
    const status = wanted.length === 0 ? 'delivered' : 'pending';
    written.push({ given: event, event: cloudEvent, row: { ...row, status }, wanted });
  }
  await countFailures(tx, failures);
  await insertAll(
    tx,
    'events',
    written.map(({ row }) => row),
  );
  await addDeliveries(parts, tx, written);
  const told = new Set(given.map(({ organizationId, type }) => `${organizationId} ${type}`));
  for (const payload of told) await tx.signal(PUBLISHED, payload);
  return written.map(({ event }) => event);
}

/** Leaves out those whose kind keeps the event from them, before any filter reads it. */
async function heardBy(
  { kinds }: DeliveryParts,
  tx: StoreTransaction,
  candidates: readonly Candidate[],
  event: CloudEvent,
): Promise<readonly Candidate[]> {
  let heard = candidates;
  for (const [kind, group] of Map.groupBy(candidates, kindOf)) {
    const audience = await kinds.get(kind)?.audience?.(tx, event);
    if (audience === undefined) continue;
    const kept = new Set(group.filter(({ target_id: id }) => !audience.has(id)));
    heard = heard.filter((candidate) => !kept.has(candidate));
  }
  return heard;
}

/** The kind that a target's id begins with; those of webhooks have none. */
const kindOf = ({ target_id: id }: Candidate) => id.slice(0, Math.max(id.indexOf(':'), 0));

/** Asks once per key; events of one transaction often want to know the same. */
function once<Given, Found>(keyOf: (given: Given) => string, find: (given: Given) => Promise<Found>) {
  const known = new Map<string, Promise<Found>>();
  return (given: Given): Promise<Found> => {
    const key = keyOf(given);
    const found = known.get(key) ?? find(given);
    known.set(key, found);
    return found;
  };
}

const matchKey = ({ organizationId, type, source, group }: NewEvent) =>
  JSON.stringify([organizationId, type, source, group]);

/** A number for each event. Held until the commit, so that numbers appear in their order and a reader's cursor skips none. */
async function nextSeqs(tx: StoreTransaction, events: readonly NewEvent[]): Promise<number[]> {
  const wanted = new Map<string, number>();
  for (const { organizationId } of events) wanted.set(organizationId, (wanted.get(organizationId) ?? 0) + 1);
  const next = new Map<string, number>();
  // In one order everywhere, so that no two transactions wait for each other.
  for (const [organizationId, count] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { seq } = await tx
      .db<EventTables>()
      .insertInto('event_sequences')
      .values({ organization_id: organizationId, seq: count })
      .onConflict((conflict) =>
        conflict
          .column('organization_id')
          .doUpdateSet((row) => ({ seq: row('event_sequences.seq', '+', count) })),
      )
      .returning('seq')
      .executeTakeFirstOrThrow();
    next.set(organizationId, seq - count + 1);
  }
  return events.map(({ organizationId }) => {
    const seq = next.get(organizationId) ?? 0;
    next.set(organizationId, seq + 1);
    return seq;
  });
}

/** Once per transaction: who has many filters that fail does not have many writes made for every event. */
async function countFailures(tx: StoreTransaction, failures: ReadonlyMap<string, number>): Promise<void> {
  const byTimes = Map.groupBy(failures.keys(), (id) => failures.get(id) ?? 0);
  for (const [times, ids] of byTimes)
    for (let start = 0; start < ids.length; start += CHUNK)
      await tx
        .db<EventTables>()
        .updateTable('event_subscriptions')
        .set((row) => ({ filter_failures: row('filter_failures', '+', times) }))
        .where('id', 'in', ids.slice(start, start + CHUNK))
        .execute();
}

async function addDeliveries(
  parts: DeliveryParts,
  tx: StoreTransaction,
  written: readonly Written[],
): Promise<void> {
  const ids = new Set(written.flatMap(({ wanted }) => wanted.map(({ target_id: id }) => id)));
  for (const targetId of [...ids].toSorted()) {
    const target = await lockTarget(tx, targetId);
    // Removed since it was matched.
    if (target === undefined) continue;
    const kind = parts.kinds.get(target.kind);
    const lastOf = once(String, (orderKey: string) => lastInOrder(tx, targetId, orderKey));
    const rows: EventDeliveryRow[] = [];
    for (const { given, row, wanted } of written) {
      const matching = wanted.filter((candidate) => candidate.target_id === targetId);
      const orderKey = kind?.isOrdered === false ? '' : (given.orderKey ?? '');
      const nextAt = Math.max(row.created_at, await lastOf(orderKey));
      for (const { id } of kind?.perSubscription === true ? matching : matching.slice(0, 1))
        rows.push(newDelivery(row, { id, targetId, orderKey, nextAt }));
    }
    await insertAll(tx, 'event_deliveries', rows);
    const nextAt = Math.min(...rows.map(({ next_at }) => next_at));
    if (target.paused_reason === null) await wakePump(parts, tx, target, nextAt);
  }
}

interface Address {
  readonly id: string;
  readonly targetId: string;
  readonly orderKey: string;
  readonly nextAt: number;
}

function newDelivery(row: EventRow, { id, targetId, orderKey, nextAt }: Address): EventDeliveryRow {
  return {
    id: typeId('dlv', row.created_at),
    organization_id: row.organization_id,
    event_id: row.id,
    subscription_id: id,
    target_id: targetId,
    order_key: orderKey,
    seq: row.seq,
    status: 'pending',
    attempts: 0,
    status_code: null,
    last_error: null,
    next_at: nextAt,
    created_at: row.created_at,
    finished_at: null,
    delivered_at: null,
    deferrals: 0,
  };
}

/** When those before it in its order are due; it cannot go earlier. */
async function lastInOrder(tx: StoreTransaction, targetId: string, orderKey: string): Promise<number> {
  if (orderKey === '') return 0;
  const last = await tx
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .select((max) => max.fn.max('next_at').as('next_at'))
    .where('target_id', '=', targetId)
    .where('order_key', '=', orderKey)
    .where('status', 'in', OPEN)
    .executeTakeFirst();
  return last?.next_at ?? 0;
}

async function insertAll<Table extends 'events' | 'event_deliveries'>(
  tx: StoreTransaction,
  table: Table,
  rows: readonly EventTables[Table][],
): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK)
    await tx
      .db<Record<Table, EventTables[Table]>>()
      .insertInto(table)
      // The rows are those of the table; its name alone is not known here.
      .values(rows.slice(start, start + CHUNK) as never)
      .execute();
}
