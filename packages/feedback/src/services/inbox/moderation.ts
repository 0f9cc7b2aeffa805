/** Moderation: what is held back from everybody's eyes, and the team's word on it. */
import type { Queryable } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import type { CursorScope } from '../../cursor.ts';
import { conflict } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { HeldState } from '../../shapes/inbox.ts';
import type { ModerationState, Page, PageQuery, PostDetail, PostItem } from '../../shapes/posts.ts';
import { laterThan } from '../hold.ts';
import { filterIdOf } from '../names.ts';
import { olderThan, pageOf, startOf } from '../paging.ts';
import { holdPost, requirePost } from '../posts/access.ts';
import { withoutEmail } from '../posts/create.ts';
import { wasPublished } from '../posts/delete.ts';
import type { PostItemRow } from '../posts/rows.ts';
import { POST_COLUMNS, selectPosts, toItems } from '../posts/rows.ts';
import type { Base } from '../write.ts';
import { change } from '../write.ts';

/** A page of what is held back. */
export interface QueueQuery extends PageQuery {
  /** Those that wait for the team by default. */
  readonly state?: HeldState | undefined;
  readonly boardId?: string | undefined;
}

/** What the team can do about posts that not everybody sees. */
export interface ModerationService {
  /** Newest first; merged and deleted posts are left out. */
  queue(actor: Actor, query: QueueQuery): Promise<Page<PostItem>>;
  /** The first time that a post is published it is announced like a new one. */
  set(actor: Actor, postId: string, state: ModerationState): Promise<PostDetail>;
}

export function createModeration(base: Base): ModerationService {
  return {
    async queue(actor, query) {
      return listHeld(base.store, actor, query);
    },
    async set(actor, postId, state) {
      return moderate(base, actor, checkId('post', postId), state);
    },
  };
}

/** Which posts are meant. */
interface Held {
  readonly state: HeldState;
  readonly boardId: string | undefined;
}

/** One page of what is held back. */
export async function listHeld(from: Queryable, actor: Actor, query: QueueQuery): Promise<Page<PostItem>> {
  const { organizationId } = actor;
  const { state = 'pending', limit } = query;
  const boardId =
    query.boardId === undefined
      ? undefined
      : await filterIdOf(from, actor, { noun: 'board', field: 'boardId', text: query.boardId });
  const scope: CursorScope = { entity: 'moderation', sort: 'newest', filter: { state, boardId } };
  const start = startOf(scope, query);
  const total = await countHeld(from, organizationId, { state, boardId });
  const rows = await selectPosts(from)
    .select(POST_COLUMNS)
    .where(isHeld(organizationId, { state, boardId }))
    .where(olderThan('post.created_at', 'post.id', start))
    .orderBy('post.created_at', 'desc')
    .orderBy('post.id', 'desc')
    .limit(limit + 1)
    .execute();
  const items = await toItems(from, organizationId, rows.slice(0, limit));
  const position = (row: PostItemRow) => ({ key: row.created_at, id: row.id });
  return pageOf(rows, { scope, limit, total, items, position });
}

/** How many posts are held back. */
export async function countHeld(from: Queryable, organizationId: string, held: Held): Promise<number> {
  const { posts } = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_posts as post')
    .select(({ fn }) => fn.countAll<number | string>().as('posts'))
    .where(isHeld(organizationId, held))
    .executeTakeFirstOrThrow();
  return Number(posts);
}

function isHeld(organizationId: string, { state, boardId }: Held) {
  const onBoard = boardId === undefined ? sql`` : sql`and post.board_id = ${boardId}`;
  // The words of the partial index, so that either database uses it.
  return sql<boolean>`post.organization_id = ${organizationId} and post.moderation = ${state}
    and post.moderation <> 'published' and post.merged_into_id is null and post.deleted_at is null ${onBoard}`;
}

function moderate(base: Base, actor: Actor, id: string, state: ModerationState): Promise<PostDetail> {
  return change(base, actor, async (current) => {
    const row = await holdPost(current, id);
    if (row.deleted_at !== null) throw conflict('This post is deleted. Restore it first.');
    if (row.merged_into_id !== null)
      throw conflict(`This post is merged into ${row.merged_into_id}. Unmerge it first.`);
    if (row.moderation === state) return requirePost(current, id);
    const isFirstTime = state === 'published' && !(await wasPublished(current, row));
    await current.tx
      .db<FeedbackTables>()
      .updateTable('feedback_posts')
      .set({ moderation: state, updated_at: laterThan(row.updated_at, current.now) })
      .where('organization_id', '=', actor.organizationId)
      .where('id', '=', id)
      .execute();
    await current.activity(id, 'moderation_changed', row.moderation, state);
    const post = await requirePost(current, id);
    if (isFirstTime)
      await current.event(
        'post.created',
        { postId: id, boardId: row.board_id },
        { post: withoutEmail(post) },
      );
    await current.touch('posts');
    await current.touch('boards');
    return post;
  });
}
