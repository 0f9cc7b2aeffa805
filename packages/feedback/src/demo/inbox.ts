/** The inbox of the demo: posts that wait for the team, one that was no post at all, and what the owner has not read. */
import type { StoreTransaction } from '@parley/store';
import type { FeedbackTables } from '../schema.ts';
import { HELD_POSTS } from './data/held.ts';
import { DAY_MS } from './dates.ts';
import { team, visitors } from './people.ts';
import type { Stage } from './stage.ts';

const HOUR_MS = 60 * 60 * 1000;
const UNREAD_DAYS = 10;

/** Fills the queue; `setClock` is told when each of them comes. */
export async function fillQueue(stage: Stage, now: number, setClock: (at: number) => void): Promise<void> {
  const { services, cast, boards } = stage;
  const admin = cast.actor(team[0] ?? '');
  const names = visitors.toReversed();
  for (const board of new Set(HELD_POSTS.map((post) => post.board)))
    await services.boards.update(admin, boards[board], { settings: { moderation: true } });
  for (const [index, { board, title, content, hoursAgo, isSpam }] of HELD_POSTS.entries()) {
    setClock(now - hoursAgo * HOUR_MS);
    const visitor = cast.actor(names[index] ?? '');
    const { id } = await services.visitors.submit(visitor, { boardId: boards[board], title, content });
    if (isSpam === true) await services.moderation.set(admin, id, 'spam');
  }
}

/** The owner joined a moment ago; without this everything would count as read. */
export async function leaveUnread(
  tx: StoreTransaction,
  { organizationId, memberId }: { readonly organizationId: string; readonly memberId: string },
  now: number,
): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_read_marks')
    .values({
      organization_id: organizationId,
      member_id: memberId,
      read_before: now - UNREAD_DAYS * DAY_MS,
    })
    .execute();
}
