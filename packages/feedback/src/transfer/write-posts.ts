/** Writes a batch of posts with everything that belongs to them, in one transaction. */
import { typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { isUniqueViolation } from '@parley/store';
import type { Insertable } from 'kysely';
import type { Actor } from '../actor.ts';
import { conflict } from '../faults.ts';
import type { FeedbackTables, PostRow } from '../schema.ts';
import { newRow } from '../services/posts/create.ts';
import { reachedThreshold } from '../services/votes/votes.ts';
import { changedTopic } from '../services/write.ts';

/** A post that is ready to be written. */
export interface NewPost {
  readonly number: number;
  readonly title: string;
  readonly content: string;
  readonly boardId: string;
  readonly statusId: string;
  readonly tagIds: readonly string[];
  readonly memberId: string;
  readonly userId: string;
  /** True when the row names its author; an importer who stands in for the author is not told of everything. */
  readonly isNamed: boolean;
  readonly voteCount: number;
  readonly createdAt: number;
}

/** Which import the posts belong to. */
export interface ImportScope {
  readonly store: Store;
  readonly actor: Actor;
  readonly importKey: string;
}

/** The numbers of those rows that an earlier run has written. */
export async function writtenRows(
  { actor, importKey }: ImportScope,
  from: Pick<Store, 'db'>,
  numbers: readonly number[],
): Promise<Set<number>> {
  if (numbers.length === 0) return new Set();
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_import_rows')
    .select('row_number')
    .where('organization_id', '=', actor.organizationId)
    .where('import_key', '=', importKey)
    .where('row_number', 'in', numbers)
    .execute();
  return new Set(rows.map(({ row_number }) => row_number));
}

const ATTEMPTS = 5;

/** Writes those posts that no run has written yet, and returns how many. */
export async function writePosts(
  scope: ImportScope,
  posts: readonly NewPost[],
  now: number,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await scope.store.transaction((tx) => writeIn(scope, tx, posts, now));
    } catch (error) {
      // The same import runs somewhere else; what it has written is seen the next time.
      if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function writeIn(
  scope: ImportScope,
  tx: StoreTransaction,
  posts: readonly NewPost[],
  now: number,
): Promise<number> {
  const { organizationId, memberId, userId, agentName } = scope.actor;
  const numbers = posts.map(({ number }) => number);
  const written = await writtenRows(scope, tx, numbers);
  const wanted = posts
    .filter(({ number }) => !written.has(number))
    .map((post) => ({ ...post, id: typeId('post', post.createdAt) }));
  if (wanted.length === 0) return 0;
  await requireAll(tx, organizationId, wanted);
  const db = tx.db<FeedbackTables>();
  await db
    .insertInto('feedback_posts')
    .values(wanted.toSorted(byCount).map((post) => rowOf(organizationId, post)))
    .execute();
  const tags = wanted.flatMap(({ id, tagIds }) =>
    tagIds.map((tagId) => ({ organization_id: organizationId, post_id: id, tag_id: tagId })),
  );
  for (const part of partsOf(tags)) await db.insertInto('feedback_post_tags').values(part).execute();
  const subscriptions = wanted
    .filter(({ isNamed }) => isNamed)
    .map((post) => ({
      organization_id: organizationId,
      id: typeId('post_sub', now),
      post_id: post.id,
      member_id: post.memberId,
      reason: 'author' as const,
      created_at: now,
    }));
  for (const part of partsOf(subscriptions))
    await db.insertInto('feedback_subscriptions').values(part).execute();
  const activity = wanted.map(({ id }) => ({
    organization_id: organizationId,
    id: typeId('note', now),
    post_id: id,
    member_id: memberId,
    user_id: userId,
    agent_name: agentName,
    action: 'imported',
    from_value: null,
    to_value: null,
    created_at: now,
  }));
  await db.insertInto('feedback_activity').values(activity).execute();
  const rows = wanted.map(({ id, number }) => ({
    organization_id: organizationId,
    import_key: scope.importKey,
    row_number: number,
    post_id: id,
  }));
  await db.insertInto('feedback_import_rows').values(rows).execute();
  await tx.signal(changedTopic('posts'), organizationId);
  await tx.signal(changedTopic('boards'), organizationId);
  return wanted.length;
}

/** The order in which triggers touch the counts, so that nobody waits for each other. */
function byCount(a: NewPost, b: NewPost): number {
  return compare(a.boardId, b.boardId) || compare(a.statusId, b.statusId) || a.number - b.number;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rowOf(organizationId: string, post: NewPost & { readonly id: string }): Insertable<PostRow> {
  return newRow({
    organization_id: organizationId,
    id: post.id,
    board_id: post.boardId,
    status_id: post.statusId,
    title: post.title,
    content: post.content,
    author_member_id: post.memberId,
    author_user_id: post.userId,
    vote_count: post.voteCount,
    imported_votes: post.voteCount,
    // What was reached elsewhere is no news here.
    vote_threshold: reachedThreshold(post.voteCount),
    created_at: post.createdAt,
  });
}

/** What was found before the transaction must still be there. */
async function requireAll(
  tx: StoreTransaction,
  organizationId: string,
  posts: readonly NewPost[],
): Promise<void> {
  const db = tx.db<FeedbackTables>();
  const boards = [...new Set(posts.map(({ boardId }) => boardId))];
  const statuses = [...new Set(posts.map(({ statusId }) => statusId))];
  const tags = [...new Set(posts.flatMap(({ tagIds }) => tagIds))];
  const found = [
    await db
      .selectFrom('feedback_boards')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', 'in', boards)
      .where('deleted_at', 'is', null)
      .execute(),
    await db
      .selectFrom('feedback_statuses')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', 'in', statuses)
      .execute(),
  ];
  for (const part of partsOf(tags))
    found.push(
      await db
        .selectFrom('feedback_tags')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('id', 'in', part)
        .execute(),
    );
  const missing = boards.length + statuses.length + tags.length - found.flat().length;
  if (missing > 0)
    throw conflict(
      'A board, status or tag was deleted during the import. Run the same command again to go on.',
    );
}

const PART = 1000;

/** Lists in parts that fit into one statement. */
export function partsOf<T>(list: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += PART) parts.push(list.slice(at, at + PART));
  return parts;
}
