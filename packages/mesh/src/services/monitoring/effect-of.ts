/** The effect that a record names. */
import type { Effect } from '@parley/kit';
import type { StoredCallRecord } from '@parley/store';

/** Null for what is no tool. */
export function effectOf({ effect }: Pick<StoredCallRecord, 'effect'>): Effect | null {
  // Whoever observes a call writes the effect of its tool or route, and there are no others.
  return effect as Effect | null;
}
