/** The list of the inbox: posts with what the team needs to know of each before it is opened. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { InboxPost, InboxView } from '../../shapes/inbox.ts';
import { HELD_STATES } from '../../shapes/inbox.ts';
import type { Page, PostItem, ReaderMark } from '../../shapes/posts.ts';
import type { PostQuery } from '../posts/list.ts';
import { listPosts } from '../posts/list.ts';
import type { Base } from '../write.ts';
import { listHeld } from './moderation.ts';
import { IS_UNANSWERED, isUnread, markOf } from './unread.ts';

/** What the inbox can be asked; posts that are held back are narrowed by their board alone. */
export type InboxQuery = PostQuery & { readonly view?: InboxView | undefined };

/** One page of the inbox. */
export async function listInbox(base: Base, actor: Actor, query: InboxQuery): Promise<Page<InboxPost>> {
  const { view = 'all', ...rest } = query;
  const mark = await markOf(base.store, actor);
  const held = HELD_STATES.find((state) => state === view);
  const page =
    held === undefined
      ? await listPosts(base, actor, {
          ...rest,
          ...(view === 'unread' && { unreadBy: mark }),
          ...(view === 'unanswered' && { isUnanswered: true }),
        })
      : await listHeld(base.store, actor, { ...rest, state: held });
  return { ...page, items: await withMarks(base.store, mark, page.items) };
}

async function withMarks(store: Store, mark: ReaderMark, items: readonly PostItem[]): Promise<InboxPost[]> {
  if (items.length === 0) return [];
  const rows = await store
    .db<FeedbackTables>()
    .selectFrom('feedback_posts as post')
    .select(['post.id', 'post.moderation'])
    .select([
      sql<number>`case when ${isUnread(mark)} then 1 else 0 end`.as('is_unread'),
      sql<number>`case when ${IS_UNANSWERED} then 1 else 0 end`.as('is_unanswered'),
    ])
    .where('post.organization_id', '=', mark.organizationId)
    .where(
      'post.id',
      'in',
      items.map(({ id }) => id),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return items.map((item) => {
    const row = byId.get(item.id);
    return {
      ...item,
      isUnread: row?.is_unread === 1,
      isAnswered: row?.is_unanswered !== 1,
      moderation: row?.moderation ?? 'published',
    };
  });
}

/** Nobody counts further. */
export const MOST_COUNTED = 1000;

/** How many listed posts wait for this reader, up to a bound: a badge says no more than "999+". */
export async function countWaiting(
  store: Store,
  actor: Pick<Actor, 'organizationId' | 'memberId'>,
): Promise<{ readonly unread: number; readonly unanswered: number }> {
  const mark = await markOf(store, actor);
  const count = async (condition: typeof IS_UNANSWERED) => {
    const { rows } = await sql<{ posts: number | string }>`select count(*) as posts from (
      select 1 from feedback_posts as post where post.organization_id = ${actor.organizationId}
      and post.state = 'listed' and ${condition} limit ${MOST_COUNTED}) as counted`.execute(store.db());
    return Number(rows[0]?.posts ?? 0);
  };
  const [unread, unanswered] = await Promise.all([count(isUnread(mark)), count(IS_UNANSWERED)]);
  return { unread, unanswered };
}
