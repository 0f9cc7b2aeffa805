/** The outbox: events and their deliveries, all in the transaction of the change. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { isAmong } from '@parley/store';
import { sql } from 'kysely';
import type { NewEvent, UnnumberedEvent } from './cloud-event.ts';
import { checkEvent, toUnnumbered } from './cloud-event.ts';
import type { DeliveryParts } from './delivery/parts.ts';
import { STILL_OPEN } from './delivery/queue.ts';
import { DUE } from './delivery/pump-task.ts';
import { askFilters } from './filter-budget.ts';
import type { Candidate, PublishedTo } from './matching.ts';
import { findCandidates } from './matching.ts';
import type { EventTables } from './schema.ts';
import type { OnlyIf, UnnumberedDelivery, UnnumberedRow } from './write-events.ts';
import { writeEvents } from './write-events.ts';

/** Told in the transaction that publishes: `organization type`. */
export const PUBLISHED = 'event.published';

// Databases bound the values of one statement.
const CHUNK = 500;
/** After so many reads by filters, about 5 ms, the event loop has a turn before the next event. */
const READS_PER_TURN = 4_000;

interface Written {
  readonly given: NewEvent;
  readonly event: UnnumberedEvent;
  readonly row: UnnumberedRow;
  readonly wanted: readonly Candidate[];
}

/**
 * Writes events with the commit of a transaction, and a delivery for everyone who wants them. With `onlyIf`, those for
 * whose subject it is true then.
 */
export async function publishEvents(
  parts: DeliveryParts,
  tx: StoreTransaction,
  given: readonly NewEvent[],
  onlyIf?: OnlyIf,
): Promise<UnnumberedEvent[]> {
  const data = given.map((event) => checkEvent(event, parts.limits));
  const now = parts.now();
  const candidates = await candidatesOf(tx, given);
  const written: Written[] = [];
  const failures = new Map<string, number>();
  let readsInTurn = 0;
  for (const [index, event] of given.entries()) {
    const row: UnnumberedRow = {
      id: event.id ?? typeId('evt', now),
      organization_id: event.organizationId,
      source: event.source,
      type: event.type,
      subject: event.subject ?? null,
      data: data[index] ?? null,
      time: event.time ?? now,
      status: 'delivered',
      schedule_id: event.scheduleId ?? null,
      created_at: now,
    };
    const cloudEvent = toUnnumbered(row);
    const { wanted, failed, reads } = await askFilters(
      parts.heldFilters,
      await heardBy(parts, tx, candidates[index] ?? [], cloudEvent),
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
  countFailures(tx, failures);
  const deliveries = await deliveriesOf(parts, tx, written);
  writeEvents(tx, { events: written.map(({ row }) => row), deliveries }, onlyIf);
  const told = new Set(given.map(({ organizationId, type }) => `${organizationId} ${type}`));
  for (const payload of told) await tx.signal(PUBLISHED, payload);
  return written.map(({ event }) => event);
}

/** Leaves out those whose kind keeps the event from them, before any filter reads it. */
async function heardBy(
  { kinds }: DeliveryParts,
  tx: StoreTransaction,
  candidates: readonly Candidate[],
  event: UnnumberedEvent,
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

/** Those of each event; events that want to know the same ask once. */
async function candidatesOf(tx: StoreTransaction, given: readonly NewEvent[]): Promise<Candidate[][]> {
  const keys = given.map(matchKey);
  const places = new Map<string, number>();
  const asked: NewEvent[] = [];
  for (const [index, key] of keys.entries()) {
    if (places.has(key)) continue;
    places.set(key, asked.length);
    asked.push(given[index] as NewEvent); // a key each
  }
  const found = await findCandidates(tx, asked);
  return keys.map((key) => found[places.get(key) ?? 0] ?? []);
}

const matchKey = ({ organizationId, type, source, group }: NewEvent) =>
  JSON.stringify([organizationId, type, source, group]);

/** Once per transaction: who has many filters that fail does not have many writes made for every event. */
function countFailures(tx: StoreTransaction, failures: ReadonlyMap<string, number>): void {
  const byTimes = Map.groupBy(failures.keys(), (id) => failures.get(id) ?? 0);
  for (const [times, ids] of byTimes)
    for (let start = 0; start < ids.length; start += CHUNK)
      tx.last(
        tx
          .db<EventTables>()
          .updateTable('event_subscriptions')
          .set((row) => ({ filter_failures: row('filter_failures', '+', times) }))
          .where('id', 'in', ids.slice(start, start + CHUNK)),
      );
}

/** The deliveries of the events, and the pumps that bring them. */
async function deliveriesOf(
  parts: DeliveryParts,
  tx: StoreTransaction,
  written: readonly Written[],
): Promise<UnnumberedDelivery[]> {
  const deliveries: UnnumberedDelivery[] = [];
  for (const target of await keepTargets(tx, written)) {
    const kind = parts.kinds.get(target.kind);
    const lastOf = once(String, (orderKey: string) => lastInOrder(tx, target.id, orderKey));
    const rows: UnnumberedDelivery[] = [];
    for (const { given, row, wanted } of written) {
      const matching = wanted.filter((candidate) => candidate.target_id === target.id);
      const orderKey = kind?.isOrdered === false ? '' : (given.orderKey ?? '');
      const nextAt = Math.max(row.created_at, await lastOf(orderKey));
      for (const { id } of kind?.perSubscription === true ? matching : matching.slice(0, 1))
        rows.push(newDelivery(row, { id, targetId: target.id, orderKey, nextAt }));
    }
    deliveries.push(...rows);
    if (target.paused_reason !== null) continue;
    await tx.signal(DUE, target.id);
    const nextAt = Math.min(...rows.map(({ next_at }) => next_at));
    tx.committed(() => parts.waker.wake(target.id, nextAt));
  }
  return deliveries;
}

/**
 * The targets that are wanted. They stay from the commit on, which leaves out those that are gone; nothing is held until
 * then, unless an order has to be kept: nobody changes what stands before.
 */
async function keepTargets(tx: StoreTransaction, written: readonly Written[]): Promise<PublishedTo[]> {
  const wanted = new Map(
    written.flatMap((one) => one.wanted.map(({ target }) => [target.id, target] as const)),
  );
  const ids = [...wanted.keys()].toSorted();
  const isOrdered = written.some(({ given }) => given.orderKey !== undefined);
  const targets: PublishedTo[] = isOrdered ? [] : ids.map((id) => wanted.get(id) as PublishedTo); // its own key
  for (let start = 0; start < ids.length; start += CHUNK) {
    const query = tx
      .db<EventTables>()
      .selectFrom('event_targets')
      .select(['id', 'kind', 'paused_reason'])
      .where(isAmong(tx.engine, sql`id`, ids.slice(start, start + CHUNK)))
      .orderBy('id');
    if (isOrdered) targets.push(...(await tx.locked(query, { to: 'write' }).execute()));
    else tx.last(tx.locked(query, { to: 'keep' }));
  }
  return targets;
}

interface Address {
  readonly id: string;
  readonly targetId: string;
  readonly orderKey: string;
  readonly nextAt: number;
}

function newDelivery(row: UnnumberedRow, { id, targetId, orderKey, nextAt }: Address): UnnumberedDelivery {
  return {
    id: typeId('dlv', row.created_at),
    organization_id: row.organization_id,
    event_id: row.id,
    subscription_id: id,
    target_id: targetId,
    order_key: orderKey,
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
    .where('status', 'in', STILL_OPEN)
    .executeTakeFirst();
  return last?.next_at ?? 0;
}
