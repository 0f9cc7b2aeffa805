/** Matching: which subscriptions an event is for. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { CloudEvent, NewEvent } from './cloud-event.ts';
import type { EventSubscriptionRow, EventTables } from './schema.ts';

const PATTERN = /^(\*|[^\s.*\0]+(\.[^\s.*\0]+)*(\.\*)?)$/;
const PATTERN_LENGTH = 255;
/** How often all filters together may read one event: ten times what one may. */
const ALL_FILTERS_READS = 200_000;

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

/** What filters said of an event. */
export interface Matched {
  readonly wanted: readonly Candidate[];
  /** Subscriptions whose filter failed or read too much; they do not match. */
  readonly failed: readonly string[];
}

/** Asks the filters, all of them together within a budget: the transaction of a change waits for them. */
export async function askFilters(candidates: readonly Candidate[], event: CloudEvent): Promise<Matched> {
  if (candidates.every(({ filter }) => filter === '')) return { wanted: candidates, failed: [] };
  // Few have one, so nobody else waits for the library at the start.
  const { ask, FILTER_READS } = await import('./filter.ts');
  let readsLeft = ALL_FILTERS_READS;
  const failed: string[] = [];
  const wanted = candidates.filter(({ id, filter }) => {
    if (filter === '') return true;
    const { isSelected, reads } = ask(filter, event, Math.min(readsLeft, FILTER_READS));
    readsLeft -= reads;
    if (isSelected === undefined) failed.push(id);
    return isSelected === true;
  });
  return { wanted, failed };
}
