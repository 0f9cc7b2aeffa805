/** The thread of a note: messages are added at its end and never change. */
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { AnnotationRow, AnnotationTables, ReplyRow } from '../schema.ts';

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
