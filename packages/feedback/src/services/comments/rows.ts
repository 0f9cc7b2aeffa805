/** From rows of comments to what surfaces show: names, reactions, and stubs of what was deleted. */
import type { IdentityTables } from '@parley/identity';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { Selectable } from 'kysely';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import { fromIdentityId } from '../../ids.ts';
import type { CommentRow, FeedbackTables } from '../../schema.ts';
import { isoOf, isoOrNull } from '../../shapes/fields.ts';
import type { Comment, ReactionCount } from '../../shapes/posts.ts';
import { reactionsOf } from './reaction-counts.ts';
import { shownName } from '../people/people-names.ts';

/** What stands where a comment was whose replies stay. */
export const DELETED_CONTENT = '[deleted]';

/** Who reads. */
export type Reader = Pick<Actor, 'organizationId' | 'rank' | 'memberId'>;

/** A comment with the name of its author. */
export type NamedCommentRow = Selectable<CommentRow> & { author_name: string | null };

/** Comments with their authors' names; the caller adds the conditions. */
export function selectComments(from: Queryable) {
  return from
    .db<FeedbackTables & IdentityTables>()
    .selectFrom('feedback_comments as comment')
    .leftJoin('users as author', 'author.id', 'comment.author_user_id')
    .selectAll('comment')
    .select('author.name as author_name');
}

/** A row as everybody sees it; of a deleted one nothing but its place is left. */
export function toComment(row: NamedCommentRow, reactions: ReactionCount[] = []): Comment {
  const isGone = row.deleted_at !== null;
  return {
    id: row.id,
    postId: row.post_id,
    parentId: row.parent_id,
    content: isGone ? DELETED_CONTENT : row.content,
    authorName: isGone ? null : shownName(row.author_name, row.agent_name),
    memberId: isGone ? null : fromIdentityId('member', row.author_member_id),
    isTeamMember: !isGone && row.is_team_member === 1,
    isPrivate: row.is_private === 1,
    createdAt: isoOf(row.created_at),
    editedAt: isGone ? null : isoOrNull(row.edited_at),
    deletedAt: isoOrNull(row.deleted_at),
    reactions: isGone ? [] : reactions,
  };
}

/** One comment; null when it is gone, deleted, or private and the reader a visitor. */
export async function loadComment(from: Queryable, reader: Reader, id: string): Promise<Comment | null> {
  const row = await selectComments(from)
    .where('comment.organization_id', '=', reader.organizationId)
    .where('comment.id', '=', id)
    .executeTakeFirst();
  if (row === undefined || row.deleted_at !== null) return null;
  if (row.is_private === 1 && !isTeam(reader)) return null;
  return withReactions(from, reader, row);
}

/** A row that the reader may see, with its reactions. */
export async function withReactions(from: Queryable, reader: Reader, row: NamedCommentRow): Promise<Comment> {
  const reactions = await reactionsOf(from, reader, { commentId: row.id });
  return toComment(row, reactions.get(row.id));
}

/** The row of a comment that the reader may see. */
export async function findComment(from: Queryable, reader: Reader, id: string): Promise<NamedCommentRow> {
  return found(await selectVisible(from, reader, id).executeTakeFirst());
}

/** The row of a comment that the reader may see, held until the transaction ends. */
export async function holdComment(
  tx: StoreTransaction,
  reader: Reader,
  id: string,
): Promise<NamedCommentRow> {
  const query = tx.locked(selectVisible(tx, reader, id), { of: 'comment' });
  return found(await query.executeTakeFirst());
}

function found(row: NamedCommentRow | undefined): NamedCommentRow {
  if (row === undefined) throw notFound('Comment');
  return row;
}

function selectVisible(from: Queryable, reader: Reader, id: string) {
  return selectComments(from)
    .where('comment.organization_id', '=', reader.organizationId)
    .where('comment.id', '=', id)
    .where('comment.deleted_at', 'is', null)
    .$if(!isTeam(reader), (visible) =>
      visible.where('comment.is_private', '=', 0).where(({ exists, selectFrom }) =>
        exists(
          selectFrom('feedback_posts as post')
            .innerJoin('feedback_boards as board', (join) =>
              join
                .onRef('board.organization_id', '=', 'post.organization_id')
                .onRef('board.id', '=', 'post.board_id'),
            )
            .select('post.id')
            .whereRef('post.organization_id', '=', 'comment.organization_id')
            .whereRef('post.id', '=', 'comment.post_id')
            .where('post.moderation', '=', 'published')
            .where('post.deleted_at', 'is', null)
            .where('board.is_public', '=', 1)
            .where('board.deleted_at', 'is', null),
        ),
      ),
    );
}
