/** Posts that everybody may see: listed ones on public boards. */
import type { Queryable, Store } from '@parley/store';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Page, PageQuery, PostItem, PostSort } from '../../shapes/posts.ts';
import { pageOfPosts } from '../posts/list.ts';
import { headOf, responseOf, selectPosts, tagsOf } from '../posts/rows.ts';
import { isUntouched } from '../posts/untouched.ts';
import { publicStatuses } from './boards.ts';
import type { PublicPost, PublicPostDetail, PublicStatus, Viewer } from './shapes.ts';
import { shownName } from '../people/people-names.ts';
import { teamPostsAmong } from '../posts/team-authors.ts';

/** What a public list can be asked. */
export interface PublicPostQuery extends PageQuery {
  /** Public boards only; the caller has checked that. */
  readonly boardIds: readonly string[];
  /** Slug of a status. */
  readonly status?: string | undefined;
  readonly search?: string | undefined;
  readonly sort?: PostSort | undefined;
}

/** One page of posts with their statuses. */
export async function publicPosts(
  store: Store,
  organizationId: string,
  query: PublicPostQuery,
): Promise<Page<PublicPost>> {
  const statuses = await publicStatuses(store, organizationId);
  const isKnown = query.status === undefined || statuses.some(({ slug }) => slug === query.status);
  // A link to a status that is gone shows an empty page, not a fault.
  if (!isKnown) return { items: [], cursor: null, hasMore: false, total: 0 };
  const page = await pageOfPosts(store, { organizationId, mayList: ['statuses'] }, query);
  const byId = new Map(
    statuses.map(({ id, name, slug, color }): [string, PublicStatus] => [id, { name, slug, color }]),
  );
  const ids = page.items.map(({ id }) => id);
  const byTeam = await teamPostsAmong(store, organizationId, ids);
  return { ...page, items: page.items.map((item) => toPublic(item, byId, byTeam)) };
}

function toPublic(
  item: PostItem,
  statuses: ReadonlyMap<string, PublicStatus>,
  byTeam: ReadonlySet<string>,
): PublicPost {
  const { ownerId: _owner, ownerMemberId: _member, status: _status, statusId, ...post } = item;
  return { ...post, status: statuses.get(statusId ?? '') ?? null, isTeamMember: byTeam.has(item.id) };
}

/** One post; undefined when there is none that everybody may see. */
export async function publicPost(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<PublicPostDetail | undefined> {
  const row = await selectPosts(from)
    .leftJoin('users as responder', 'responder.id', 'post.official_response_user_id')
    .select(['post.id', 'post.title', 'post.content', 'post.vote_count', 'post.comment_count'])
    .select(['post.board_id', 'board.slug as board_slug', 'board.name as board_name'])
    .select(['author.name as author_name', 'post.agent_name', 'post.created_at', 'post.updated_at'])
    .select(['post.official_response', 'post.official_response_at', 'responder.name as responder_name'])
    .select(['post.pinned_comment_id', 'status.name as status_name', 'status.slug', 'status.color'])
    .where('post.organization_id', '=', organizationId)
    .where('post.id', '=', checkId('post', id))
    .where('post.state', '=', 'listed')
    .where('board.is_public', '=', 1)
    .where('board.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { status_name: name, slug, color } = row;
  const tags = await tagsOf(from, organizationId, [row.id]);
  const byTeam = await teamPostsAmong(from, organizationId, [row.id]);
  return {
    ...headOf(row),
    status: name === null || slug === null || color === null ? null : { name, slug, color },
    authorName: shownName(row.author_name, row.agent_name),
    isTeamMember: byTeam.has(row.id),
    tags: tags.get(row.id) ?? [],
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
    ...responseOf(row),
    pinnedCommentId: row.pinned_comment_id,
  };
}

/** Which of the posts the reader has voted for. */
export async function votedAmong(
  from: Queryable,
  organizationId: string,
  { memberId }: Viewer,
  postIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (postIds.length === 0) return new Set();
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_votes')
    .select('post_id')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('post_id', 'in', postIds)
    .execute();
  return new Set(rows.map(({ post_id }) => post_id));
}

/** The post that a merged one went into; undefined when the given one was none that everybody could see. */
export async function mergedInto(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const row = await selectPosts(from)
    .select('post.merged_into_id')
    .where('post.organization_id', '=', organizationId)
    .where('post.id', '=', checkId('post', id))
    .where('post.moderation', '=', 'published')
    .where('post.deleted_at', 'is', null)
    .where('board.is_public', '=', 1)
    .where('board.deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.merged_into_id ?? undefined;
}

/** True when the reader wrote the post and nobody else has dealt with it. */
export async function isOwnUntouched(
  from: Queryable,
  organizationId: string,
  { memberId }: Viewer,
  postId: string,
): Promise<boolean> {
  const row = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', postId)
    .where('author_member_id', '=', memberId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined && isUntouched(from, { organizationId, memberId }, row);
}

/** True when the reader is told of what happens to the post. */
export async function isFollowing(
  from: Queryable,
  organizationId: string,
  { memberId }: Viewer,
  postId: string,
): Promise<boolean> {
  const row = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_subscriptions')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('post_id', '=', postId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row !== undefined;
}
