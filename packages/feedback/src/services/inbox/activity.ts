/** What happened to a post, newest first. */
import type { IdentityTables } from '@parley/identity';
import type { Store } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { checkId, fromIdentityId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Activity, Page, PageQuery } from '../../shapes/posts.ts';
import { olderThan, pageOf, startOf } from '../paging.ts';
import { findPost } from '../posts/access.ts';
import { shownName } from '../people/people-names.ts';
import type { Base } from '../write.ts';

/** Reads the activity of posts. */
export interface ActivityService {
  /** For the team. */
  list(actor: Actor, postId: string, query: PageQuery): Promise<Page<Activity>>;
}

export function createActivity({ store }: Base): ActivityService {
  return {
    async list(actor, postId, query) {
      return listActivity(store, actor, checkId('post', postId), query);
    },
  };
}

async function listActivity(
  store: Store,
  actor: Actor,
  postId: string,
  query: PageQuery,
): Promise<Page<Activity>> {
  const scope = { entity: 'activity', sort: 'newest', filter: { postId } };
  const start = startOf(scope, query);
  await findPost(store, actor, postId);
  const ofPost = store
    .db<FeedbackTables & IdentityTables>()
    .selectFrom('feedback_activity as line')
    .where('line.organization_id', '=', actor.organizationId)
    .where('line.post_id', '=', postId);
  const rows = await ofPost
    .leftJoin('users as user', 'user.id', 'line.user_id')
    .selectAll('line')
    .select('user.name')
    .$if(start !== undefined, (page) => page.where(olderThan('line.created_at', 'line.id', start)))
    .orderBy('line.created_at', 'desc')
    .orderBy('line.id', 'desc')
    .limit(query.limit + 1)
    .execute();
  const { total } = await ofPost
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = rows.map((row): Activity => ({
    id: row.id,
    postId: row.post_id,
    action: row.action,
    actorName: shownName(row.name, row.agent_name),
    memberId: fromIdentityId('member', row.member_id),
    from: row.from_value,
    to: row.to_value,
    createdAt: isoOf(row.created_at),
  }));
  const position = (row: (typeof rows)[number]) => ({ key: row.created_at, id: row.id });
  return pageOf(rows, { scope, limit: query.limit, total, items, position });
}
