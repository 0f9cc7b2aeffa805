/** Subscriptions of connections as rows, and the targets that they belong to. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { lockTarget, newTarget } from '../delivery/pump-task.ts';
import type { EventLimits } from '../limits.ts';
import { checkPattern } from '../matching.ts';
import type { EventSubscriptionRow, EventTables, EventTargetRow } from '../schema.ts';
import { CONNECTION, connectionIdOf, targetIdOf } from './target.ts';

/** What a connection asks for. */
export interface Wanted {
  readonly eventType: string;
  /** Only events of this source. */
  readonly publisher?: string | undefined;
  readonly filter?: string | undefined;
}

/** One subscription of a connection. */
export interface Subscription {
  readonly id: string;
  readonly connectionId: string;
  readonly eventType: string;
  readonly publisher: string | null;
  readonly filter: string | null;
  readonly enabled: boolean;
  /** How often its filter failed or took too long. */
  readonly filterFailures: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Who asks, and for which connection. */
export interface Asker {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly createdBy: string | null;
}

export function toSubscription(row: EventSubscriptionRow): Subscription {
  return {
    id: row.id,
    connectionId: connectionIdOf(row.target_id),
    eventType: row.event_type,
    publisher: row.publisher || null,
    filter: row.filter || null,
    enabled: row.enabled === 1,
    filterFailures: row.filter_failures,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const SOURCE_LENGTH = 255;

/** Refuses what could never match. */
export async function checkWanted({ eventType, publisher = '', filter }: Wanted): Promise<void> {
  checkPattern(eventType, 'eventType');
  if (publisher.length > SOURCE_LENGTH || publisher.includes('\0'))
    throw new ToolError('invalid', `publisher: must have at most ${SOURCE_LENGTH} characters.`);
  if (filter === undefined) return;
  const { checkFilter } = await import('../filter.ts');
  checkFilter(filter);
  // A list of long ones takes seconds, and others do not wait for all of it.
  await nextTurn();
}

/** The target of a connection, held until the transaction ends; made with its first subscription. */
export async function holdTarget(tx: StoreTransaction, asker: Asker): Promise<EventTargetRow> {
  const id = targetIdOf(asker.connectionId);
  const fresh = newTarget({ id, organization_id: asker.organizationId }, CONNECTION);
  await tx
    .db<EventTables>()
    .insertInto('event_targets')
    .values(fresh)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const target = await lockTarget(tx, id);
  if (target?.organization_id !== asker.organizationId)
    throw new ToolError('not_found', `Connection not found: ${asker.connectionId}`);
  return target;
}

/** The subscriptions of one connection, or of all connections of the organization. */
export function subscriptionsOf(
  on: Queryable,
  organizationId: string,
  connectionId?: string,
): Promise<EventSubscriptionRow[]> {
  let query = on
    .db<EventTables>()
    .selectFrom('event_subscriptions')
    .innerJoin('event_targets', 'event_targets.id', 'event_subscriptions.target_id')
    .selectAll('event_subscriptions')
    .where('event_subscriptions.organization_id', '=', organizationId)
    .where('event_targets.kind', '=', CONNECTION)
    .orderBy('event_subscriptions.id');
  if (connectionId !== undefined)
    query = query.where('event_subscriptions.target_id', '=', targetIdOf(connectionId));
  return query.execute();
}

/** Writes a new subscription of a connection whose target is held. */
export function addSubscription(
  tx: StoreTransaction,
  { organizationId, connectionId, createdBy }: Asker,
  wanted: Wanted,
  now: number,
): Promise<EventSubscriptionRow> {
  const targetId = targetIdOf(connectionId);
  return insertSubscription(tx, { organizationId, targetId, createdBy }, wanted, now);
}

/** Where a subscription belongs. */
export interface SubscribingTarget {
  readonly organizationId: string;
  readonly targetId: string;
  readonly createdBy: string | null;
}

/** Writes a new subscription for a target of any kind that is held. */
export async function insertSubscription(
  tx: StoreTransaction,
  { organizationId, targetId, createdBy }: SubscribingTarget,
  wanted: Wanted,
  now: number,
): Promise<EventSubscriptionRow> {
  const row: EventSubscriptionRow = {
    id: typeId('sub', now),
    organization_id: organizationId,
    target_id: targetId,
    event_type: wanted.eventType,
    publisher: wanted.publisher ?? '',
    event_group: '',
    filter: wanted.filter ?? '',
    enabled: 1,
    filter_failures: 0,
    created_by: createdBy,
    created_at: now,
    updated_at: now,
  };
  await tx.db<EventTables>().insertInto('event_subscriptions').values(row).execute();
  return row;
}

/** Refuses more subscriptions than a connection may have. */
export function refuseTooMany(count: number, { subscriptionsPerConnection }: EventLimits): void {
  if (count <= subscriptionsPerConnection) return;
  throw new ToolError(
    'conflict',
    `A connection may have at most ${subscriptionsPerConnection} subscriptions. Remove one that is not needed.`,
  );
}
