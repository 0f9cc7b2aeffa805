/** The posts on a roadmap, in their order. */
import type { Queryable } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import type { CursorScope } from '../../cursor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { RoadmapPost } from '../../shapes/nouns.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { filterIdOf } from '../names.ts';
import { pageOf, startOf } from '../paging.ts';

/** A page of a roadmap, of one column when a status is given. */
export interface RoadmapPostQuery extends PageQuery {
  readonly statusId?: string | undefined;
}

/** Listed posts on a roadmap; the caller may see it. */
export async function listRoadmapPosts(
  from: Queryable,
  actor: Actor,
  roadmapId: string,
  query: RoadmapPostQuery,
): Promise<Page<RoadmapPost>> {
  const { organizationId } = actor;
  const { limit } = query;
  const statusId =
    query.statusId === undefined
      ? undefined
      : await filterIdOf(from, actor, { noun: 'status', field: 'statusId', text: query.statusId });
  const scope: CursorScope = {
    entity: 'roadmap_posts',
    sort: 'position',
    filter: { roadmapId, statusId },
  };
  const start = startOf(scope, query);
  const wanted = selectEntries(from, organizationId, roadmapId).$if(statusId !== undefined, (entries) =>
    entries.where('post.status_id', '=', statusId ?? ''),
  );
  const { total } = await wanted
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await wanted
    .select(ENTRY_COLUMNS)
    .$if(start !== undefined, (entries) =>
      // Compared as wide numbers: a position that somebody made up may be too large for the column.
      entries.where(
        sql<boolean>`(cast(entry.position as bigint), entry.post_id) > (${start?.key}, ${start?.id})`,
      ),
    )
    .orderBy('entry.position')
    .orderBy('entry.post_id')
    .limit(limit + 1)
    .execute();
  const position = (row: EntryRow) => ({ key: row.position, id: row.id });
  return pageOf(rows, { scope, limit, total, items: rows.map(toRoadmapPost), position });
}

/** One listed post on a roadmap. */
export async function findRoadmapPost(
  from: Queryable,
  organizationId: string,
  { roadmapId, postId }: { readonly roadmapId: string; readonly postId: string },
): Promise<RoadmapPost | undefined> {
  const row = await selectEntries(from, organizationId, roadmapId)
    .select(ENTRY_COLUMNS)
    .where('entry.post_id', '=', postId)
    .executeTakeFirst();
  return row === undefined ? undefined : toRoadmapPost(row);
}

function selectEntries(from: Queryable, organizationId: string, roadmapId: string) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_roadmap_posts as entry')
    .innerJoin('feedback_posts as post', (join) =>
      join.onRef('post.organization_id', '=', 'entry.organization_id').onRef('post.id', '=', 'entry.post_id'),
    )
    .innerJoin('feedback_boards as board', (join) =>
      join
        .onRef('board.organization_id', '=', 'post.organization_id')
        .onRef('board.id', '=', 'post.board_id'),
    )
    .where('entry.organization_id', '=', organizationId)
    .where('entry.roadmap_id', '=', roadmapId)
    .where('post.state', '=', 'listed');
}

const ENTRY_COLUMNS = [
  'post.id',
  'post.title',
  'post.vote_count',
  'post.status_id',
  'board.id as board_id',
  'board.name as board_name',
  'board.slug as board_slug',
  'entry.position',
] as const;

interface EntryRow {
  id: string;
  title: string;
  vote_count: number;
  status_id: string;
  board_id: string;
  board_name: string;
  board_slug: string;
  position: number;
}

function toRoadmapPost(row: EntryRow): RoadmapPost {
  return {
    id: row.id,
    title: row.title,
    voteCount: row.vote_count,
    statusId: row.status_id,
    board: { id: row.board_id, name: row.board_name, slug: row.board_slug },
    position: row.position,
  };
}
