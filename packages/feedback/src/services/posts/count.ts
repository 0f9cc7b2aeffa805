/** How many posts fit a filter: from the counts that triggers keep where they can tell, else by counting. */
import type { Store } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';
import type { FeedbackTables } from '../../schema.ts';
import type { CheckedFilter } from './filter.ts';
import { isIndexed, matching, matchOf } from './match.ts';

/** The exact number, at this moment. */
export async function countPosts(store: Store, filter: CheckedFilter): Promise<number> {
  if (isIndexed(filter)) {
    if (filter.search === undefined) return keptCount(store, filter);
    return byEngine(store.engine, { sqlite: indexedCount, postgres: rowCount })(store, filter);
  }
  return rowCount(store, filter);
}

async function rowCount(store: Store, filter: CheckedFilter): Promise<number> {
  const row = await matching(store, filter)
    .select((select) => select.fn.countAll<number | string>().as('posts'))
    .executeTakeFirstOrThrow();
  return Number(row.posts);
}

async function keptCount(store: Store, filter: CheckedFilter): Promise<number> {
  const { organizationId, states, boardId, boardIds, statusId } = filter;
  let query = store
    .db<FeedbackTables>()
    .selectFrom('feedback_post_counts')
    .select(({ fn }) => fn.sum<number | string | null>('posts').as('posts'))
    .where('organization_id', '=', organizationId)
    .where('state', 'in', states);
  if (boardId !== undefined) query = query.where('board_id', '=', boardId);
  if (boardIds !== undefined) query = query.where('board_id', 'in', boardIds);
  if (statusId !== undefined) query = query.where('status_id', '=', statusId);
  return Number((await query.executeTakeFirstOrThrow()).posts ?? 0);
}

async function indexedCount(store: Store, filter: CheckedFilter): Promise<number> {
  const { rows } = await sql<{
    posts: number;
  }>`select count(*) as posts from feedback_posts_fts where feedback_posts_fts match ${matchOf(filter)}`.execute(
    store.db<FeedbackTables>(),
  );
  return rows[0]?.posts ?? 0;
}
