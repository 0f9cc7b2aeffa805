/** A post as a change needs it: found, judged by who asks, and held; and as it is afterwards. */
import type { Queryable, StoreTransaction } from '@parley/store';
import type { Selectable } from 'kysely';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { conflict, notFound } from '../../faults.ts';
import type { FeedbackTables, PostRow } from '../../schema.ts';
import type { PostDetail } from '../../shapes/posts.ts';
import { loadDetail } from './rows.ts';
import type { Change } from '../write.ts';

const COLUMNS = [
  'post.id',
  'post.board_id',
  'post.title',
  'post.vote_count',
  'post.vote_threshold',
  'post.comment_count',
  'post.merged_into_id',
  'post.moderation',
  'post.updated_at',
  'post.deleted_at',
] as const;

/** The columns of a post that a conversation turns on. */
export type TalkedPost = Pick<
  Selectable<PostRow>,
  | 'id'
  | 'board_id'
  | 'title'
  | 'vote_count'
  | 'vote_threshold'
  | 'comment_count'
  | 'merged_into_id'
  | 'moderation'
  | 'updated_at'
  | 'deleted_at'
>;

/** A post that the reader may see; visitors see published ones on public boards. */
export async function findPost(from: Queryable, reader: Reader, id: string): Promise<TalkedPost> {
  return judged(reader, await selectPost(from, reader, id).executeTakeFirst());
}

/** The same, held until the transaction ends. */
export async function findAndHoldPost(tx: StoreTransaction, reader: Reader, id: string): Promise<TalkedPost> {
  const query = tx.locked(selectPost(tx, reader, id), { of: 'post' });
  return judged(reader, await query.executeTakeFirst());
}

type Reader = Pick<Actor, 'organizationId' | 'rank'>;

function selectPost(from: Queryable, { organizationId }: Reader, id: string) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_posts as post')
    .innerJoin('feedback_boards as board', (join) =>
      join
        .onRef('board.organization_id', '=', 'post.organization_id')
        .onRef('board.id', '=', 'post.board_id'),
    )
    .select([...COLUMNS, 'board.is_public', 'board.deleted_at as board_deleted_at'])
    .where('post.organization_id', '=', organizationId)
    .where('post.id', '=', id);
}

type FoundPost = TalkedPost & { readonly is_public: number; readonly board_deleted_at: number | null };

function judged(reader: Reader, row: FoundPost | undefined): TalkedPost {
  if (row === undefined) throw notFound('Post');
  const isPublic =
    row.moderation === 'published' &&
    row.deleted_at === null &&
    row.is_public === 1 &&
    row.board_deleted_at === null;
  if (!isPublic && !isTeam(reader)) throw notFound('Post');
  return row;
}

/** A post that takes votes and comments, held for this change. */
export async function holdOpenPost({ tx, actor }: Change, id: string): Promise<TalkedPost> {
  const post = await findAndHoldPost(tx, actor, id);
  if (post.deleted_at !== null) throw conflict('This post is deleted. Restore it first.');
  if (post.merged_into_id !== null) throw mergedAway(actor, post.merged_into_id);
  return post;
}

function mergedAway(actor: Actor, canonicalId: string) {
  // Where it went may be on a board that visitors do not see.
  const where = isTeam(actor) ? canonicalId : 'another post';
  return conflict(`This post is merged into ${where}. Use that one instead.`);
}

/** The row of a post, held for this change; nobody else changes it until the transaction ends. */
export async function holdPost({ tx, actor }: Change, id: string): Promise<Selectable<PostRow>> {
  const query = tx
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .selectAll()
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', id);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) throw notFound('Post');
  return row;
}

/** The post as it is now, inside the change. */
export async function requirePost({ tx, actor }: Change, id: string): Promise<PostDetail> {
  const post = await loadDetail(tx, actor, id);
  if (post === undefined) throw notFound('Post');
  return post;
}
