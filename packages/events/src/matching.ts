/** Matching: which subscriptions an event is for. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { NewEvent } from './cloud-event.ts';
import type { EventSubscriptionRow, EventTables } from './schema.ts';

const PATTERN = /^(\*|[\w-]+(\.[\w-]+)*(\.\*)?)$/;
const PATTERN_LENGTH = 255;

/** Refuses what is neither a type, `prefix.*` nor `*`. */
export function checkPattern(pattern: string): void {
  if (pattern.length <= PATTERN_LENGTH && PATTERN.test(pattern)) return;
  throw new ToolError(
    'invalid',
    `events: "${pattern.slice(0, 60)}" is no event type. Write a type such as post.created, post.* or *.`,
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

/** One subscription per target that wants the event, by target. */
export async function findSubscribers(
  tx: StoreTransaction,
  event: NewEvent,
): Promise<Pick<EventSubscriptionRow, 'id' | 'target_id'>[]> {
  const found = await tx
    .db<EventTables>()
    .selectFrom('event_subscriptions')
    .select(['id', 'target_id'])
    .where('organization_id', '=', event.organizationId)
    .where('event_type', 'in', patternsOf(event.type))
    .where('publisher', 'in', ['', event.source])
    .where('event_group', 'in', ['', event.group ?? ''])
    // A filter is for those who can evaluate it.
    .where('filter', '=', '')
    .where('enabled', '=', 1)
    .orderBy('target_id')
    .orderBy('id')
    .execute();
  return found.filter((one, index) => one.target_id !== found[index - 1]?.target_id);
}
