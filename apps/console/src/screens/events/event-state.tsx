/** Owns the words for what became of an event. */
import { Badge, StateBadge } from '../../ui/badge.tsx';
import type { EventLine } from './queries.ts';

/** What became of it; an event that nobody subscribed to was delivered to nobody. */
export function EventState({ status, hasSubscribers = true }: Pick<EventLine, 'status' | 'hasSubscribers'>) {
  if (status === undefined) return null;
  return status === 'delivered' && !hasSubscribers ? (
    <Badge>no subscribers</Badge>
  ) : (
    <StateBadge state={status} />
  );
}
