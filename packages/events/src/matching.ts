/** Matching: which subscriptions an event is for. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { NewEvent } from './cloud-event.ts';
import type { EventSubscriptionRow, EventTables, EventTargetRow } from './schema.ts';

const PATTERN = /^(\*|[^\s.*\0]+(\.[^\s.*\0]+)*(\.\*)?)$/;
const PATTERN_LENGTH = 255;

/** Refuses what is neither a type, `prefix.*` nor `*`. */
export function checkPattern(pattern: string, field = 'events'): void {
  if (pattern.length <= PATTERN_LENGTH && PATTERN.test(pattern)) return;
  throw new ToolError(
    'invalid',
    `${field}: "${pattern.slice(0, 60)}" is no event type. Write a type such as post.created, post.* or *.`,
  );
}

/** Every pattern that covers a type: itself, `prefix.*` for each of its prefixes, and `*`. */
export function patternsOf(type: string): string[] {
  const patterns = [type, '*'];
  for (let dot = type.indexOf('.'); dot >= 0; dot = type.indexOf('.', dot + 1)) {
    const hasMore = dot + 1 < type.length;
    if (hasMore) patterns.push(`${type.slice(0, dot)}.*`);
  }
  return patterns;
}

/** A subscription whose type, publisher and group fit; its filter has yet to be asked. */
export interface Candidate extends Pick<EventSubscriptionRow, 'id' | 'target_id' | 'filter'> {
  readonly target: PublishedTo;
}

/** What a publisher has to know of a target. */
export type PublishedTo = Pick<EventTargetRow, 'id' | 'kind' | 'paused_reason'>;

/** The subscriptions that an event may be for, by target. Nothing is held: whether a target is still there is asked with the commit. */
export async function findCandidates(tx: StoreTransaction, event: NewEvent): Promise<Candidate[]> {
  const rows = await tx
    .db<EventTables>()
    .selectFrom('event_subscriptions as wish')
    .innerJoin('event_targets as target', 'target.id', 'wish.target_id')
    .select(['wish.id', 'wish.target_id', 'wish.filter', 'target.kind', 'target.paused_reason'])
    .where('wish.organization_id', '=', event.organizationId)
    .where('wish.event_type', 'in', patternsOf(event.type))
    .where('wish.publisher', 'in', ['', event.source])
    .where('wish.event_group', 'in', ['', event.group ?? ''])
    .where('wish.enabled', '=', 1)
    .orderBy('wish.target_id')
    .orderBy('wish.id')
    .execute();
  return rows.map(({ id, target_id, filter, kind, paused_reason }) => ({
    id,
    target_id,
    filter,
    target: { id: target_id, kind, paused_reason },
  }));
}
