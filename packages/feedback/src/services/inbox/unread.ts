/** What somebody of the team has not looked at yet: new posts, and new words of others about posts. */
import type { IdentityTables } from '@parley/identity';
import type { Queryable } from '@parley/store';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { ReaderMark } from '../../shapes/posts.ts';

/** The mark of a reader; what was there before they joined counts as read. */
export async function markOf(
  from: Queryable,
  { organizationId, memberId }: Pick<Actor, 'organizationId' | 'memberId'>,
): Promise<ReaderMark> {
  const row = await from
    .db<FeedbackTables & IdentityTables>()
    .selectFrom('members as member')
    .leftJoin('feedback_read_marks as mark', (join) =>
      join
        .onRef('mark.member_id', '=', 'member.id')
        .onRef('mark.organization_id', '=', 'member.organization_id'),
    )
    .select(['member.created_at', 'mark.read_before'])
    .where('member.organization_id', '=', organizationId)
    .where('member.id', '=', memberId)
    .executeTakeFirst();
  return { organizationId, memberId, readBefore: row?.read_before ?? row?.created_at ?? 0 };
}

/** The time that stands for "not seen after all". */
export const UNSEEN = 0;

/** True for a post of the alias `post` that its reader has not seen as it is now. */
export function isUnread({ organizationId, memberId, readBefore }: ReaderMark): RawBuilder<boolean> {
  const own = sql`own.organization_id = ${organizationId} and own.member_id = ${memberId}`;
  // By sets of ids, so that the indexes on times name the few candidates.
  return sql<boolean>`post.id in (
    select fresh.id from feedback_posts as fresh
      where fresh.organization_id = ${organizationId} and fresh.created_at > ${readBefore}
      and fresh.author_member_id <> ${memberId}
      and not exists (select 1 from feedback_reads as own where ${own} and own.post_id = fresh.id)
    union
    select said.post_id from feedback_comments as said
      where said.organization_id = ${organizationId} and said.created_at > ${readBefore}
      and said.author_member_id <> ${memberId} and said.deleted_at is null
      and not exists (select 1 from feedback_reads as own
        where ${own} and own.post_id = said.post_id and own.seen_at >= said.created_at)
    union
    select own.post_id from feedback_reads as own where ${own} and own.seen_at = ${UNSEEN})`;
}

/** True for a post of the alias `post` to which the team has said nothing that everybody can read. */
export const IS_UNANSWERED: RawBuilder<boolean> = sql<boolean>`(post.official_response is null
  and (post.comment_count = 0 or not exists (select 1 from feedback_comments as said
    where said.organization_id = post.organization_id and said.post_id = post.id
    and said.is_team_member = 1 and said.is_private = 0 and said.deleted_at is null)))`;
