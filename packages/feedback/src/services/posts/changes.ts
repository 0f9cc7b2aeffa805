/** What every change of a post begins and ends with. */
import type { Selectable } from 'kysely';
import { notFound } from '../../faults.ts';
import type { PostRow } from '../../schema.ts';
import type { PostDetail } from '../../shapes/posts.ts';
import { loadDetail, lockPost } from './rows.ts';
import type { Change } from '../write.ts';

/** The row of a post, held for this change. */
export async function holdPost({ tx, actor }: Change, id: string): Promise<Selectable<PostRow>> {
  const row = await lockPost(tx, actor.organizationId, id);
  if (row === undefined) throw notFound('Post');
  return row;
}

/** The post as it is now, inside the change. */
export async function requirePost({ tx, actor }: Change, id: string): Promise<PostDetail> {
  const post = await loadDetail(tx, actor, id);
  if (post === undefined) throw notFound('Post');
  return post;
}
