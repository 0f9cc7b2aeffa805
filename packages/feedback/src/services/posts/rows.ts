/** From rows of posts to what surfaces show: names, tags, official response, pinned comment. */
import type { IdentityTables } from '@parley/identity';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Selectable } from 'kysely';
import type { Actor } from '../../actor.ts';
import { fromIdentityId } from '../../ids.ts';
import type { FeedbackTables, PostRow } from '../../schema.ts';
import { isoOf, isoOrNull } from '../../shapes/fields.ts';
import type { PostDetail, PostItem } from '../../shapes/posts.ts';
import { loadComment } from '../comments/rows.ts';
import { shownName } from '../people/people-names.ts';

/** The tables that a post is put together from. */
export type Tables = FeedbackTables & IdentityTables;

/** A post with the names that lists show. */
export interface NamedPostRow extends Selectable<PostRow> {
  board_slug: string;
  board_name: string;
  status_slug: string | null;
  status_name: string | null;
  author_name: string | null;
  author_email: string | null;
}

/** Posts joined with board, status and author; the caller adds the conditions. */
export function selectPosts(from: Queryable) {
  return from
    .db<Tables>()
    .selectFrom('feedback_posts as post')
    .innerJoin('feedback_boards as board', (join) =>
      join
        .onRef('board.organization_id', '=', 'post.organization_id')
        .onRef('board.id', '=', 'post.board_id'),
    )
    .leftJoin('feedback_statuses as status', (join) =>
      join
        .onRef('status.organization_id', '=', 'post.organization_id')
        .onRef('status.id', '=', 'post.status_id'),
    )
    .leftJoin('users as author', 'author.id', 'post.author_user_id');
}

/** The columns of a `NamedPostRow`. */
export const POST_COLUMNS = [
  'post.seq',
  'post.organization_id',
  'post.id',
  'post.board_id',
  'post.status_id',
  'post.title',
  'post.content',
  'post.content_json',
  'post.author_member_id',
  'post.author_user_id',
  'post.agent_name',
  'post.owner_member_id',
  'post.vote_count',
  'post.comment_count',
  'post.vote_threshold',
  'post.official_response',
  'post.official_response_user_id',
  'post.official_response_at',
  'post.pinned_comment_id',
  'post.merged_into_id',
  'post.moderation',
  'post.state',
  'post.created_at',
  'post.updated_at',
  'post.deleted_at',
  'board.slug as board_slug',
  'board.name as board_name',
  'status.slug as status_slug',
  'status.name as status_name',
  'author.name as author_name',
  'author.email as author_email',
] as const;

/** What a list item is made from. */
export type PostItemRow = Omit<NamedPostRow, 'search_title' | 'search_content' | 'imported_votes'>;

/** Turns rows into list items, with their tags in one query. */
export async function toItems(
  from: Queryable,
  organizationId: string,
  rows: readonly PostItemRow[],
): Promise<PostItem[]> {
  const tags = await tagsOf(
    from,
    organizationId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toItem(row, tags.get(row.id) ?? []));
}

function toItem(row: PostItemRow, tags: PostItem['tags']): PostItem {
  const owner = row.owner_member_id === null ? null : fromIdentityId('member', row.owner_member_id);
  return {
    ...headOf(row),
    statusId: row.status_id,
    status: statusOf(row),
    authorName: shownName(row.author_name, row.agent_name),
    ownerId: owner,
    ownerMemberId: owner,
    tags,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}

type HeadColumn =
  | 'id'
  | 'title'
  | 'content'
  | 'vote_count'
  | 'comment_count'
  | 'board_id'
  | 'board_slug'
  | 'board_name';

/** What every list and page shows of a post. */
export function headOf(row: Pick<PostItemRow, HeadColumn>) {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    voteCount: row.vote_count,
    commentCount: row.comment_count,
    boardId: row.board_id,
    boardSlug: row.board_slug,
    boardName: row.board_name,
  };
}

/** What the team has answered, and who did. */
export function responseOf(
  row: Pick<PostItemRow, 'official_response' | 'official_response_at'> & {
    readonly responder_name: string | null;
  },
) {
  return {
    officialResponse: row.official_response,
    officialResponseAuthorName: row.official_response === null ? null : row.responder_name,
    officialResponseAt: isoOrNull(row.official_response_at),
  };
}

function statusOf({ status_slug: slug, status_name: name }: PostItemRow): PostItem['status'] {
  return slug === null || name === null ? null : { slug, name };
}

/** The tags of posts, by post, in the order of their names. */
export async function tagsOf(
  from: Queryable,
  organizationId: string,
  postIds: readonly string[],
): Promise<Map<string, PostItem['tags']>> {
  const found = new Map<string, PostItem['tags']>();
  if (postIds.length === 0) return found;
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_post_tags as on')
    .innerJoin('feedback_tags as tag', (join) =>
      join.onRef('tag.organization_id', '=', 'on.organization_id').onRef('tag.id', '=', 'on.tag_id'),
    )
    .select(['on.post_id', 'tag.id', 'tag.name', 'tag.color'])
    .where('on.organization_id', '=', organizationId)
    .where('on.post_id', 'in', postIds)
    .orderBy('tag.name_key')
    .execute();
  for (const { post_id, ...tag } of rows) found.set(post_id, [...(found.get(post_id) ?? []), tag]);
  return found;
}

/** One whole post; undefined when the organization has none of that id. */
export async function loadDetail(
  from: Queryable,
  actor: Pick<Actor, 'organizationId' | 'rank' | 'memberId'>,
  id: string,
): Promise<PostDetail | undefined> {
  const row = await selectPosts(from)
    .leftJoin('users as responder', 'responder.id', 'post.official_response_user_id')
    .select([...POST_COLUMNS, 'responder.name as responder_name'])
    .where('post.organization_id', '=', actor.organizationId)
    .where('post.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const [item] = await toItems(from, actor.organizationId, [row]);
  if (item === undefined) return undefined;
  return {
    ...item,
    contentJson: row.content_json === null ? null : fromJson<unknown>(row.content_json),
    ...(actor.rank === 'admin' && { authorEmail: row.author_email }),
    ...responseOf(row),
    roadmapIds: await roadmapsOf(from, actor.organizationId, id),
    pinnedComment:
      row.pinned_comment_id === null ? null : await loadComment(from, actor, row.pinned_comment_id),
    mergedIntoId: row.merged_into_id,
    moderation: row.moderation,
    deletedAt: isoOrNull(row.deleted_at),
  };
}

async function roadmapsOf(from: Queryable, organizationId: string, postId: string): Promise<string[]> {
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_roadmap_posts')
    .select('roadmap_id')
    .where('organization_id', '=', organizationId)
    .where('post_id', '=', postId)
    .orderBy('roadmap_id')
    .execute();
  return rows.map(({ roadmap_id }) => roadmap_id);
}
