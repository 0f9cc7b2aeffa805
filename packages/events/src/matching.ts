/** Matching: which subscriptions an event is for. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { NewEvent } from './cloud-event.ts';
import type { EventSubscriptionRow, EventTables } from './schema.ts';

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
export type Candidate = Pick<EventSubscriptionRow, 'id' | 'target_id' | 'filter'>;

/** The subscriptions that an event may be for, by target. */
export function findCandidates(tx: StoreTransaction, event: NewEvent): Promise<Candidate[]> {
  return tx
    .db<EventTables>()
    .selectFrom('event_subscriptions')
    .select(['id', 'target_id', 'filter'])
    .where('organization_id', '=', event.organizationId)
    .where('event_type', 'in', patternsOf(event.type))
    .where('publisher', 'in', ['', event.source])
    .where('event_group', 'in', ['', event.group ?? ''])
    .where('enabled', '=', 1)
    .orderBy('target_id')
    .orderBy('id')
    .execute();
}
