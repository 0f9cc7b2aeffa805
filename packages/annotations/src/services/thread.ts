/** The thread of a note: messages are added at its end and never change. */
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationRow, AnnotationTables, ReplyRow } from '../schema.ts';
import type { ThreadCut } from '../threads.ts';

/** A message to add to the thread. */
export type NewReply = Pick<ReplyRow, 'author' | 'author_name' | 'message'>;

/** The last message of a thread. */
export function lastReply(tx: StoreTransaction, annotationId: string): Promise<ReplyRow | undefined> {
  return tx
    .db<AnnotationTables>()
    .selectFrom('annotation_replies')
    .selectAll()
    .where('annotation_id', '=', annotationId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Adds a message to a note whose row is locked. */
export async function addReply(
  tx: StoreTransaction,
  note: Pick<AnnotationRow, 'id' | 'organization_id'>,
  reply: NewReply,
  now: number,
): Promise<void> {
  const last = await lastReply(tx, note.id);
  await tx
    .db<AnnotationTables>()
    .insertInto('annotation_replies')
    .values({
      id: typeId('rpl', now),
      organization_id: note.organization_id,
      annotation_id: note.id,
      position: (last?.position ?? 0) + 1,
      ...reply,
      created_at: now,
    })
    .execute();
}

/** The last messages of threads, oldest first: no more than a cut shows, and one that may be too much. */
export function endsOfThreads(
  from: Queryable,
  ids: readonly string[],
  { replies, characters }: ThreadCut,
): Promise<ReplyRow[]> {
  const db = from.db<AnnotationTables>();
  const ends = db
    .selectFrom('annotation_replies')
    .select(({ fn }) => ['annotation_id', fn.max('position').as('last')])
    .where('annotation_id', 'in', ids)
    .groupBy('annotation_id')
    .as('ends');
  const late = db
    .selectFrom('annotation_replies as reply')
    .innerJoin(ends, 'ends.annotation_id', 'reply.annotation_id')
    .selectAll('reply')
    .select(
      sql<number>`sum(length(reply.message)) over (partition by reply.annotation_id order by reply.position desc) - length(reply.message)`.as(
        'characters_after',
      ),
    )
    .where(sql<boolean>`reply.position > ends.last - ${sql.lit(replies)}`)
    .as('late');
  return db
    .selectFrom(late)
    .selectAll()
    .where('characters_after', '<=', characters)
    .orderBy('position')
    .execute();
}

/** Refuses words that the thread of a locked note has no room for. */
export async function refuseFull(
  tx: StoreTransaction,
  annotationId: string,
  words: readonly NewReply[],
  limits: Pick<AnnotationLimits, 'repliesPerNote' | 'threadCharacters'>,
): Promise<void> {
  const [first] = words;
  if (first === undefined) return;
  const last = await lastReply(tx, annotationId);
  const count = (last?.position ?? 0) + words.length;
  // A thread that is too long is not measured as well.
  const isFull =
    count > limits.repliesPerNote ||
    (await charactersOf(tx, annotationId)) + words.reduce((sum, { message }) => sum + message.length, 0) >
      limits.threadCharacters;
  if (!isFull) return;
  throw new ToolError(
    'invalid',
    first.author === 'user'
      ? 'This thread is full. Open a new note for what is left to say.'
      : 'This thread is full. Act without a message, and resolve or dismiss the annotation.',
  );
}

async function charactersOf(tx: StoreTransaction, annotationId: string): Promise<number> {
  const { characters } = await tx
    .db<AnnotationTables>()
    .selectFrom('annotation_replies')
    .select(sql<number | string | null>`sum(length(message))`.as('characters'))
    .where('annotation_id', '=', annotationId)
    .executeTakeFirstOrThrow();
  return Number(characters ?? 0);
}
