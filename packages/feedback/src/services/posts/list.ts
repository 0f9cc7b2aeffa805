/** Lists of posts: filters, full-text search, three sorts, keyset pages, exact totals. */
import { ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { Actor, NameReader } from '../../actor.ts';
import type { CursorPosition, CursorScope } from '../../cursor.ts';
import type { Page, PageQuery, PostFilter, PostItem, PostSort } from '../../shapes/posts.ts';
import { POST_SORTS } from '../../shapes/posts.ts';
import { allow } from '../guard.ts';
import { pageOf, startOf } from '../paging.ts';
import { countPosts } from './count.ts';
import type { CheckedFilter } from './filter.ts';
import { checkFilter, filterKey, requireNamed } from './filter.ts';
import { matching } from './match.ts';
import { POST_COLUMNS, selectPosts, toItems } from './rows.ts';
import type { Base } from '../write.ts';

/** Everything that a list can be asked. */
export type PostQuery = PostFilter & PageQuery & { readonly sort?: PostSort | undefined };

/** The team's list. */
export async function listPosts({ store }: Base, actor: Actor, query: PostQuery): Promise<Page<PostItem>> {
  if (query.showDeleted === true) allow('admin', actor);
  return pageOfPosts(store, actor, query);
}

/** One page; who may see it was decided before. */
export async function pageOfPosts(
  store: Store,
  reader: NameReader,
  query: PostQuery,
): Promise<Page<PostItem>> {
  const sort = query.sort ?? 'newest';
  if (!POST_SORTS.includes(sort))
    throw new ToolError('invalid', `sort: must be one of ${POST_SORTS.join(', ')}`);
  const scope: CursorScope = { entity: 'posts', sort, filter: filterKey(query) };
  const start = startOf(scope, query);
  const filter = await checkFilter(store, reader, query);
  if (filter === undefined) return { items: [], cursor: null, hasMore: false, total: 0 };
  const total = await countPosts(store, filter);
  if (total === 0) await requireNamed(store, reader, query);
  const keys = await readKeys(store, filter, { sort, start, limit: query.limit + 1, total });
  const items = await loadItems(
    store,
    reader.organizationId,
    keys.slice(0, query.limit).map(({ id }) => id),
  );
  return pageOf(keys, { scope, limit: query.limit, total, items, position: ({ key, id }) => ({ key, id }) });
}

interface KeyQuery {
  readonly sort: PostSort;
  readonly start: CursorPosition | undefined;
  readonly limit: number;
  readonly total: number;
}

/** Which posts come, in order. Their names and tags are read after that, for this page only. */
async function readKeys(
  store: Store,
  filter: CheckedFilter,
  { sort, start, limit, total }: KeyQuery,
): Promise<CursorPosition[]> {
  const column = sort === 'votes' ? 'vote_count' : 'created_at';
  const direction = sort === 'oldest' ? 'asc' : 'desc';
  let query = matching(store, filter, { total })
    .select([`post.${column} as key`, 'post.id'])
    .orderBy(`post.${column}`, direction)
    .orderBy('post.id', direction)
    .limit(limit);
  if (start !== undefined) {
    const place = sql`(${sql.ref(`post.${column}`)}, ${sql.ref('post.id')})`;
    // A made-up key may be too big for the column, and must not become a fault there.
    const after = sql`(cast(${start.key} as bigint), ${start.id})`;
    query = query.where(
      direction === 'asc' ? sql<boolean>`${place} > ${after}` : sql<boolean>`${place} < ${after}`,
    );
  }
  return query.execute();
}

/** The posts of these ids, in this order. */
export async function loadItems(
  store: Store,
  organizationId: string,
  ids: readonly string[],
): Promise<PostItem[]> {
  if (ids.length === 0) return [];
  const rows = await selectPosts(store)
    .select(POST_COLUMNS)
    .where('post.organization_id', '=', organizationId)
    .where('post.id', 'in', ids)
    .execute();
  const items = await toItems(store, organizationId, rows);
  const byId = new Map(items.map((item) => [item.id, item]));
  // A post that was removed between the two reads is left out.
  return ids.flatMap((id) => byId.get(id) ?? []);
}
