/** Reactions to comments. */
import { ToolError, typeId } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { ReactionCount } from '../../shapes/posts.ts';
import { EMOJIS } from '../../shapes/posts.ts';
import { holdComment } from './rows.ts';
import { reactionsOf } from './reaction-counts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** Adds or takes back a reaction; twice is the same as once. Returns the reactions of the comment. */
export function reactTo(
  base: Base,
  actor: Actor,
  id: string,
  reaction: { readonly emoji: string; readonly isOn: boolean },
): Promise<ReactionCount[]> {
  const emoji = knownEmoji(reaction.emoji);
  return change(base, actor, async (current) => {
    await holdComment(current.tx, actor, id);
    const isChanged = await (reaction.isOn ? add : remove)(current, id, emoji);
    if (isChanged) await current.touch('posts');
    return (await reactionsOf(current.tx, actor, { commentId: id })).get(id) ?? [];
  });
}

// Keyboards differ in whether they send it.
const bare = (emoji: string) => emoji.replaceAll('\u{FE0F}', '');

function knownEmoji(text: string): string {
  const known = EMOJIS.find((emoji) => bare(emoji) === bare(text));
  if (known === undefined) throw new ToolError('invalid', `emoji: must be one of ${EMOJIS.join(' ')}`);
  return known;
}

async function add({ tx, now, actor }: Change, commentId: string, emoji: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .db<FeedbackTables>()
    .insertInto('feedback_reactions')
    .values({
      organization_id: actor.organizationId,
      id: typeId('reaction', now),
      comment_id: commentId,
      member_id: actor.memberId,
      emoji,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

async function remove({ tx, actor }: Change, commentId: string, emoji: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_reactions')
    .where('organization_id', '=', actor.organizationId)
    .where('comment_id', '=', commentId)
    .where('member_id', '=', actor.memberId)
    .where('emoji', '=', emoji)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}
