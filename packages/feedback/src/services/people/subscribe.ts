/** Who is told of what happens to a post. */
import { typeId } from '@parley/kit';
import type { FeedbackTables, SubscriptionRow } from '../../schema.ts';
import type { Change } from '../write.ts';

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
