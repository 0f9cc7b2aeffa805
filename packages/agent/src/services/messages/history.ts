/** What two agents said to each other in a thread, as a runner gets it. */
import type { Store } from '@parley/store';
import type { Said } from '../../adapters/runner/runner.ts';
import { acceptedMessages } from './rows.ts';

const MAX_EXCHANGES = 10;
const MAX_CHARACTERS = 8000;

export interface Thread {
  readonly organizationId: string;
  readonly thread: string;
  /** Both sides, by id, with their names. */
  readonly between: readonly [Side, Side];
  /** The message that comes after the history. */
  readonly until: string;
}

interface Side {
  readonly id: string;
  readonly name: string;
}

/** The newest exchanges that fit, oldest first: a message and its reply each. */
export async function historyOf(
  store: Store,
  { organizationId, thread, between, until }: Thread,
): Promise<Said[]> {
  const ids = between.map(({ id }) => id);
  const rows = await acceptedMessages(store, organizationId)
    .select(['from_agent', 'text'])
    .where('thread', '=', thread)
    .where('from_agent', 'in', ids)
    .where('to_agent', 'in', ids)
    .where('id', '!=', until)
    .orderBy('accepted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(2 * MAX_EXCHANGES)
    .execute();
  let left = MAX_CHARACTERS;
  const kept: Said[] = [];
  for (const { from_agent: from, text } of rows) {
    left -= text.length;
    if (left < 0) break;
    kept.push({ from: between.find(({ id }) => id === from)?.name ?? '', text });
  }
  return kept.toReversed();
}
