/** Following: members ask to be told of what happens to a post, or no longer. */
import { typeId } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables, SubscriptionRow } from '../../schema.ts';
import type { Following } from '../../shapes/inbox.ts';
import { findPost, holdOpenPost } from '../posts/access.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What can be done about being told. */
export interface FollowService {
  /** Safe to repeat; visitors follow what they can see. */
  follow(actor: Actor, postId: string, isOn: boolean): Promise<Following>;
}

export function createFollowing(base: Base): FollowService {
  return {
    async follow(actor, postId, isOn) {
      const id = checkId('post', postId);
      return change(base, actor, async (current) => {
        if (isOn) {
          await holdOpenPost(current, id);
          await subscribe(current, id, actor.memberId, 'manual');
        } else {
          await findPost(current.tx, actor, id);
          await unsubscribe(current, id);
        }
        return { isFollowing: isOn };
      });
    },
  };
}

async function unsubscribe({ tx, actor }: Change, postId: string): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_subscriptions')
    .where('organization_id', '=', actor.organizationId)
    .where('post_id', '=', postId)
    .where('member_id', '=', actor.memberId)
    .execute();
}

/** Subscribes a member; somebody who is subscribed already stays so. */
export async function subscribe(
  { tx, now, actor }: Change,
  postId: string,
  memberId: string,
  reason: SubscriptionRow['reason'],
): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_subscriptions')
    .values({
      organization_id: actor.organizationId,
      id: typeId('post_sub', now),
      post_id: postId,
      member_id: memberId,
      reason,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
