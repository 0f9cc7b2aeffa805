/** Who voted for a post. */
import type { IdentityTables } from '@parley/identity';
import type { Store } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { fromIdentityId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Page, PageQuery, Voter } from '../../shapes/posts.ts';
import { olderThan, pageOf, startOf } from '../paging.ts';
import { findPost } from '../posts/access.ts';

/** One page of voters, newest first; somebody who has left has no name any more. Imported votes have no voters. */
export async function listVoters(
  store: Store,
  actor: Actor,
  postId: string,
  query: PageQuery,
): Promise<Page<Voter>> {
  const scope = { entity: 'voter', sort: 'newest', filter: { postId } };
  const start = startOf(scope, query);
  await findPost(store, actor, postId);
  const db = store.db<FeedbackTables & IdentityTables>();
  const { total } = await db
    .selectFrom('feedback_votes')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', actor.organizationId)
    .where('post_id', '=', postId)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('feedback_votes as vote')
    .leftJoin('members as member', 'member.id', 'vote.member_id')
    .leftJoin('users as user', 'user.id', 'member.user_id')
    .select([
      'vote.id',
      'vote.member_id',
      'vote.source',
      'vote.proxy_member_id',
      'vote.created_at',
      'user.name',
      'user.email',
    ])
    .where('vote.organization_id', '=', actor.organizationId)
    .where('vote.post_id', '=', postId)
    .$if(start !== undefined, (page) => page.where(olderThan('vote.created_at', 'vote.id', start)))
    .orderBy('vote.created_at', 'desc')
    .orderBy('vote.id', 'desc')
    .limit(query.limit + 1)
    .execute();
  const items = rows.map((row): Voter => ({
    memberId: fromIdentityId('member', row.member_id),
    name: row.name,
    email: row.email,
    source: row.source,
    proxyMemberId: row.proxy_member_id === null ? null : fromIdentityId('member', row.proxy_member_id),
    createdAt: isoOf(row.created_at),
  }));
  const position = (row: (typeof rows)[number]) => ({ key: row.created_at, id: row.id });
  return pageOf(rows, { scope, limit: query.limit, total, items, position });
}
