/** Read marks: what each member of the team has seen of the inbox. Nobody sees those of others. */
import type { Actor } from '../../actor.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { ReadMark } from '../../shapes/inbox.ts';
import { findPost } from '../posts/access.ts';
import { dateOf } from '../posts/filter.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';
import { markOf, UNSEEN } from './unread.ts';

export interface ReadingService {
  /** Marks a post as seen now, or as not seen. */
  set(actor: Actor, postId: string, isRead: boolean): Promise<ReadMark>;
  /** Marks everything up to a time as seen; a time that has not come means now. */
  setBefore(actor: Actor, before: string): Promise<{ readBefore: string }>;
}

export function createReading(base: Base): ReadingService {
  return {
    async set(actor, postId, isRead) {
      checkId('post', postId);
      return change(base, actor, async (current) => {
        await findPost(current.tx, actor, postId);
        await putRead(current, postId, isRead ? current.now : UNSEEN);
        return { isRead };
      });
    },
    async setBefore(actor, before) {
      const wanted = dateOf('before', before, 0) ?? base.now();
      return change(base, actor, async (current) => {
        const { readBefore: known } = await markOf(current.tx, actor);
        const readBefore = Math.max(known, Math.min(wanted, current.now));
        await putMark(current, readBefore);
        return { readBefore: isoOf(readBefore) };
      });
    },
  };
}

async function putRead({ tx, actor }: Change, postId: string, seenAt: number): Promise<void> {
  const { organizationId, memberId } = actor;
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_reads')
    .values({ organization_id: organizationId, member_id: memberId, post_id: postId, seen_at: seenAt })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'member_id', 'post_id']).doUpdateSet({ seen_at: seenAt }),
    )
    .execute();
}

/** Single marks that the new one covers are of no more use. */
async function putMark({ tx, actor }: Change, readBefore: number): Promise<void> {
  const { organizationId, memberId } = actor;
  const db = tx.db<FeedbackTables>();
  await db
    .insertInto('feedback_read_marks')
    .values({ organization_id: organizationId, member_id: memberId, read_before: readBefore })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'member_id']).doUpdateSet({ read_before: readBefore }),
    )
    .execute();
  await db
    .deleteFrom('feedback_reads')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .where('seen_at', '<=', readBefore)
    .execute();
}
