/** The roadmap that everybody may see: one column per status that has one. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { CursorScope } from '../../cursor.ts';
import type { PageQuery } from '../../shapes/posts.ts';
import { pageOf, startOf } from '../paging.ts';
import type { Tables } from '../posts/rows.ts';
import type { StatusEntry } from './boards.ts';
import { publicStatuses } from './boards.ts';
import type { PublicRoadmap, RoadmapColumn } from './shapes.ts';

/** The public roadmaps in their order. */
export async function publicRoadmaps(store: Store, organizationId: string): Promise<PublicRoadmap[]> {
  const { rows } = await sql<Omit<PublicRoadmap, 'hasPosts'> & { has_posts: number }>`
    select roadmap.id, roadmap.name, roadmap.slug, roadmap.description,
      case when exists (select 1 ${visible(organizationId, { roadmapId: sql.ref('roadmap.id') })})
        then 1 else 0 end as has_posts
    from feedback_roadmaps as roadmap
    where roadmap.organization_id = ${organizationId} and roadmap.is_public = 1
    order by roadmap.position, roadmap.id`.execute(store.db<Tables>());
  return rows.map(({ has_posts, ...roadmap }) => ({ ...roadmap, hasPosts: has_posts === 1 }));
}

/** Which columns are asked for, of which roadmap. */
export interface RoadmapQuery extends PageQuery {
  /** Absent: every public post by its status, most votes first. */
  readonly roadmapId?: string | undefined;
  /** Slug of the one status whose column goes on. */
  readonly status?: string | undefined;
}

/** The columns, each with its first posts; with a status, that column from the cursor on. */
export async function roadmapColumns(
  store: Store,
  organizationId: string,
  query: RoadmapQuery,
): Promise<RoadmapColumn[]> {
  const statuses = (await publicStatuses(store, organizationId)).filter(
    ({ isOnRoadmap, slug }) => isOnRoadmap && (query.status === undefined || query.status === slug),
  );
  if (statuses.length === 0) return [];
  const start = startOf(scopeOf(query, statuses[0]?.slug ?? ''), query);
  const parts = statuses.map(({ id }) => columnOf(organizationId, { query, statusId: id, start }));
  const [{ rows }, totals] = await Promise.all([
    sql<ColumnRow>`${sql.join(
      parts.map((part) => sql`select * from (${part}) as part`),
      sql` union all `,
    )}`.execute(store.db<Tables>()),
    totalsOf(store, organizationId, query),
  ]);
  return statuses.map((status) => toColumn(status, query, rows, totals.get(status.id) ?? 0));
}

interface ColumnRow {
  id: string;
  title: string;
  vote_count: number;
  status_id: string;
  board_name: string;
  key: number;
}

function scopeOf({ roadmapId }: RoadmapQuery, status: string): CursorScope {
  return { entity: 'public roadmap', sort: 'position', filter: { roadmapId, status } };
}

function toColumn(
  { id, name, slug, color }: StatusEntry,
  query: RoadmapQuery,
  rows: readonly ColumnRow[],
  total: number,
): RoadmapColumn {
  const own = rows.filter(({ status_id }) => status_id === id);
  const page = pageOf(own, {
    scope: scopeOf(query, slug),
    limit: query.limit,
    total,
    items: own.map((row) => ({
      id: row.id,
      title: row.title,
      voteCount: row.vote_count,
      boardName: row.board_name,
    })),
    position: (row) => ({ key: row.key, id: row.id }),
  });
  return { status: { name, slug, color }, total, posts: page.items, cursor: page.cursor };
}

function columnOf(
  organizationId: string,
  part: { query: RoadmapQuery; statusId: string; start: ReturnType<typeof startOf> },
) {
  const { query, statusId, start } = part;
  const isChosen = query.roadmapId !== undefined;
  const key = isChosen ? sql.ref('entry.position') : sql.ref('post.vote_count');
  const place = sql`(${key}, post.id)`;
  const after = start && sql`(${start.key}, ${start.id})`;
  return sql`select post.id, post.title, post.vote_count, post.status_id, board.name as board_name, ${key} as key
    ${visible(organizationId, query)} and post.status_id = ${statusId}
    ${after === undefined ? sql`` : isChosen ? sql`and ${place} > ${after}` : sql`and ${place} < ${after}`}
    order by ${key} ${sql.raw(isChosen ? 'asc' : 'desc')}, post.id ${sql.raw(isChosen ? 'asc' : 'desc')}
    limit ${query.limit + 1}`;
}

function visible(organizationId: string, { roadmapId }: { readonly roadmapId?: unknown }) {
  const entries = sql`join feedback_roadmap_posts as entry on entry.organization_id = post.organization_id
    and entry.post_id = post.id and entry.roadmap_id = ${roadmapId}`;
  return sql`from feedback_posts as post
    join feedback_boards as board on board.organization_id = post.organization_id and board.id = post.board_id
    ${roadmapId === undefined ? sql`` : entries}
    where post.organization_id = ${organizationId} and post.state = 'listed'
      and board.is_public = 1 and board.deleted_at is null`;
}

async function totalsOf(
  store: Store,
  organizationId: string,
  query: RoadmapQuery,
): Promise<Map<string, number>> {
  const counted = sql`select counted.status_id, sum(counted.posts) as posts from feedback_post_counts as counted
    join feedback_boards as board on board.organization_id = counted.organization_id and board.id = counted.board_id
    where counted.organization_id = ${organizationId} and counted.state = 'listed'
      and board.is_public = 1 and board.deleted_at is null group by counted.status_id`;
  const { rows } = await sql<{ status_id: string; posts: number | string }>`${
    query.roadmapId === undefined
      ? counted
      : sql`select post.status_id, count(*) as posts ${visible(organizationId, query)} group by post.status_id`
  }`.execute(store.db<Tables>());
  return new Map(rows.map(({ status_id, posts }) => [status_id, Number(posts)]));
}
