/** Matching: which subscriptions an event is for. */
import { ToolError } from '@parley/kit';
import type { RowTableColumns, StoreTransaction } from '@parley/store';
import { rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { NewEvent } from './cloud-event.ts';
import type { EventSubscriptionRow, EventTargetRow } from './schema.ts';

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

/** What decides who may hear of an event. */
type Matched = Pick<NewEvent, 'organizationId' | 'type' | 'source' | 'group'>;

interface Asked {
  /** The place of the event among those that are asked for. */
  readonly place: number;
  readonly organization_id: string;
  readonly event_type: string;
  readonly publisher: string;
  readonly event_group: string;
}

const ASKED: RowTableColumns<Asked> = {
  place: 'integer',
  organization_id: 'text',
  event_type: 'text',
  publisher: 'text',
  event_group: 'text',
};

type Found = Pick<EventSubscriptionRow, 'id' | 'target_id' | 'filter'> &
  Pick<EventTargetRow, 'kind' | 'paused_reason'> & { readonly place: number };

/**
 * The subscriptions that each of the events may be for, by target. Nothing is held: whether a target is still there is
 * asked with the commit.
 */
export async function findCandidates(
  tx: StoreTransaction,
  events: readonly Matched[],
): Promise<Candidate[][]> {
  const rows = events.flatMap(({ organizationId, type, source, group = '' }, place): Asked[] =>
    patternsOf(type).map((event_type) => ({
      place,
      organization_id: organizationId,
      event_type,
      publisher: source,
      event_group: group,
    })),
  );
  const asked = rowTable<Asked>(tx.engine, 'asked', { rows, columns: ASKED });
  const { rows: found } = await sql<Found>`
    select asked.place, wish.id, wish.target_id, wish.filter, target.kind, target.paused_reason
    from ${asked} join event_subscriptions wish
      on wish.organization_id = asked.organization_id and wish.event_type = asked.event_type
    join event_targets target on target.id = wish.target_id
    where wish.publisher in ('', asked.publisher) and wish.event_group in ('', asked.event_group)
    and wish.enabled = 1 order by wish.target_id, wish.id`.execute(tx.db());
  const byPlace = Map.groupBy(found, ({ place }) => place);
  return events.map((_, place) => (byPlace.get(place) ?? []).map(toCandidate));
}

function toCandidate({ id, target_id, filter, kind, paused_reason }: Found): Candidate {
  return { id, target_id, filter, target: { id: target_id, kind, paused_reason } };
}
