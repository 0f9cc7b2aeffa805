/** Changelog entries whose time has come; drafts and scheduled ones do not exist here. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { CursorScope } from '../../cursor.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { pageOf, startOf } from '../paging.ts';
import type { PublicChange } from './shapes.ts';

interface Asked {
  readonly organizationId: string;
  readonly now: number;
}

const SCOPE: CursorScope = { entity: 'public changelog', sort: 'newest', filter: {} };

/** One page of entries, newest first. */
export async function publicChanges(
  from: Queryable,
  asked: Asked,
  query: PageQuery,
): Promise<Page<PublicChange>> {
  const start = startOf(SCOPE, query);
  let rows = published(from, asked)
    .selectAll()
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
  if (start !== undefined) rows = rows.where(sql<boolean>`(published_at, id) < (${start.key}, ${start.id})`);
  const [found, counted] = await Promise.all([
    rows.execute(),
    published(from, asked)
      .select(({ fn }) => fn.countAll<number | string>().as('entries'))
      .executeTakeFirstOrThrow(),
  ]);
  return pageOf(found, {
    scope: SCOPE,
    limit: query.limit,
    total: Number(counted.entries),
    items: await withPosts(from, asked.organizationId, found),
    position: (row) => ({ key: row.published_at ?? 0, id: row.id }),
  });
}

/** One entry; undefined until its time has come. */
export async function publicChange(
  from: Queryable,
  asked: Asked,
  id: string,
): Promise<PublicChange | undefined> {
  const rows = await published(from, asked).selectAll().where('id', '=', checkId('changelog', id)).execute();
  return (await withPosts(from, asked.organizationId, rows))[0];
}

function published(from: Queryable, { organizationId, now }: Asked) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_changelog')
    .where('organization_id', '=', organizationId)
    .where('published_at', '<=', now)
    .where('deleted_at', 'is', null);
}

type Row = Pick<
  Selectable<FeedbackTables['feedback_changelog']>,
  'id' | 'title' | 'content' | 'labels' | 'published_at' | 'updated_at'
>;

/** Entries with the posts that they are about, as far as everybody may see those. */
async function withPosts(
  from: Queryable,
  organizationId: string,
  rows: readonly Row[],
): Promise<PublicChange[]> {
  if (rows.length === 0) return [];
  const linked = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_changelog_posts as link')
    .innerJoin('feedback_posts as post', (join) =>
      join
        .onRef('post.organization_id', '=', 'link.organization_id')
        .onRef('post.id', '=', 'link.post_id')
        .on('post.state', '=', 'listed'),
    )
    .innerJoin('feedback_boards as board', (join) =>
      join
        .onRef('board.organization_id', '=', 'post.organization_id')
        .onRef('board.id', '=', 'post.board_id')
        .on('board.is_public', '=', 1)
        .on('board.deleted_at', 'is', null),
    )
    .select(['link.changelog_id', 'post.id', 'post.title'])
    .where('link.organization_id', '=', organizationId)
    .where(
      'link.changelog_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('link.position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    content: row.content,
    publishedAt: row.published_at ?? 0,
    updatedAt: row.updated_at,
    labels: fromJson<string[]>(row.labels),
    posts: linked.filter((post) => post.changelog_id === row.id).map(({ id, title }) => ({ id, title })),
  }));
}
