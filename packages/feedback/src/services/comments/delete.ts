/** Deleting comments without breaking their threads. */
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { forbidden } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Comment } from '../../shapes/posts.ts';
import { countComments } from './create.ts';
import type { NamedCommentRow } from './rows.ts';
import { DELETED_CONTENT, findComment, holdComment, withReactions } from './rows.ts';
import { holdFamilies, holdPath } from '../posts/family.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** Refuses everybody but the author and the team. */
export function requireOwnOrTeam(actor: Actor, comment: NamedCommentRow): void {
  if (comment.author_member_id !== actor.memberId && !isTeam(actor))
    throw forbidden('Only the author or a team member may do this.');
}

/** Deletes a comment; with replies below it a stub stays in its place. */
export function deleteComment(
  base: Base,
  actor: Actor,
  id: string,
  check?: CheckCurrent<Comment>,
): Promise<void> {
  return change(base, actor, async (current) => {
    const { tx } = current;
    const { post_id } = await findComment(tx, actor, id);
    await holdFamilies(current, 'shared');
    const path = await holdPath(current, post_id);
    const comment = await holdComment(tx, actor, id);
    requireOwnOrTeam(actor, comment);
    check?.(await withReactions(tx, actor, comment));
    await dropReactions(current, id);
    if (await hasReplies(current, id)) await makeStub(current, id);
    else await removeUpwards(current, id);
    if (comment.is_private === 0) await countComments(current, path, -1);
    await unpin(current, comment);
    await current.activity(post_id, 'comment_deleted', id, null);
    await current.touch('posts');
  });
}

async function hasReplies({ tx, actor }: Change, id: string): Promise<boolean> {
  const reply = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_comments')
    .select('id')
    .where('organization_id', '=', actor.organizationId)
    .where('parent_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return reply !== undefined;
}

async function makeStub({ tx, actor, now }: Change, id: string): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_comments')
    .set({ content: DELETED_CONTENT, edited_at: null, deleted_at: now })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', id)
    .execute();
}

/** Removes a comment, and every stub above it that held no other reply; one statement, however deep it stands. */
async function removeUpwards({ tx, actor }: Change, id: string): Promise<void> {
  const { organizationId } = actor;
  await tx
    .db<FeedbackTables>()
    .withRecursive('bare(id, parent_id)', (db) =>
      db
        .selectFrom('feedback_comments')
        .select(['id', 'parent_id'])
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .unionAll(
          db
            .selectFrom('feedback_comments as stub')
            .innerJoin('bare', 'bare.parent_id', 'stub.id')
            .select(['stub.id', 'stub.parent_id'])
            .where('stub.organization_id', '=', organizationId)
            .where('stub.deleted_at', 'is not', null)
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('feedback_comments as other')
                    .select('other.id')
                    .where('other.organization_id', '=', organizationId)
                    .whereRef('other.parent_id', '=', 'stub.id')
                    .whereRef('other.id', '<>', 'bare.id'),
                ),
              ),
            ),
        ),
    )
    .deleteFrom('feedback_comments')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', (query) => query.selectFrom('bare').select('bare.id'))
    .execute();
}

async function dropReactions({ tx, actor }: Change, id: string): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_reactions')
    .where('organization_id', '=', actor.organizationId)
    .where('comment_id', '=', id)
    .execute();
}

async function unpin({ tx, actor }: Change, comment: NamedCommentRow): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set({ pinned_comment_id: null })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', comment.post_id)
    .where('pinned_comment_id', '=', comment.id)
    .execute();
}
