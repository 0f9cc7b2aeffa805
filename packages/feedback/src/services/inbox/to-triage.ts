/** How many posts wait for somebody of the team: held back until one looks at them, or not read by this one yet. */
import type { Store } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { countWaiting } from './inbox-posts.ts';
import { countHeld } from './moderation.ts';

/** What the inbox shows as waiting, so that every place tells the same numbers. */
export async function countToTriage(
  store: Store,
  reader: Pick<Actor, 'organizationId' | 'memberId'>,
): Promise<{ readonly held: number; readonly unread: number }> {
  const [held, { unread }] = await Promise.all([
    countHeld(store, reader.organizationId, { state: 'pending', boardId: undefined }),
    countWaiting(store, reader),
  ]);
  return { held, unread };
}
