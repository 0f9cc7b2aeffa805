/**
 * Merged posts as a family: duplicates below their canonical post, to any depth. A change of several of them holds
 * the topmost one first; so no two wait for each other, and a family stays as it is while it is held.
 */
import type { Queryable, StoreTransaction } from '@parley/store';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Change } from '../write.ts';

interface FamilyTables extends FeedbackTables {
  family: { id: string; merged_into_id: string | null; depth: number };
}

/** The ids of all posts that are merged into this one, directly or by way of others. */
export async function duplicatesOf(
  from: Queryable,
  { organizationId }: Pick<Actor, 'organizationId'>,
  id: string,
): Promise<string[]> {
  const rows = await from
    .db<FamilyTables>()
    .withRecursive('family(id)', (db) =>
      db
        .selectFrom('feedback_posts')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('merged_into_id', '=', id)
        .unionAll(
          db
            .selectFrom('feedback_posts as below')
            .innerJoin('family', 'family.id', 'below.merged_into_id')
            .select('below.id')
            .where('below.organization_id', '=', organizationId),
        ),
    )
    .selectFrom('family')
    .select('id')
    .execute();
  return rows.map((row) => row.id);
}

/** The ids from a post up to the one at the top: itself, its canonical post, and so on. */
export async function pathUp(
  from: Queryable,
  { organizationId }: Pick<Actor, 'organizationId'>,
  id: string,
): Promise<string[]> {
  const rows = await from
    .db<FamilyTables>()
    .withRecursive('family(id, merged_into_id, depth)', (db) =>
      db
        .selectFrom('feedback_posts')
        .select(({ lit }) => ['id', 'merged_into_id', lit(0).as('depth')])
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .unionAll(
          db
            .selectFrom('feedback_posts as above')
            .innerJoin('family', 'family.merged_into_id', 'above.id')
            .select(({ eb }) => ['above.id', 'above.merged_into_id', eb('family.depth', '+', 1).as('depth')])
            .where('above.organization_id', '=', organizationId),
        ),
    )
    .selectFrom('family')
    .select('id')
    .orderBy('depth')
    .execute();
  return rows.map((row) => row.id);
}

/** Keeps every family of the organization as it is: merging waits for `shared` holders, and they for it. */
export function holdFamilies({ tx, actor }: Change, mode: 'shared' | 'alone'): Promise<void> {
  const name = `feedback.families ${actor.organizationId}`;
  return mode === 'shared' ? tx.shared(name) : tx.exclusive(name);
}

/** Holds the top of a post's family; returns the path from the post up to it. */
export async function holdPath({ tx, actor }: Change, id: string): Promise<string[]> {
  const path = await pathUp(tx, actor, id);
  const top = path.at(-1);
  if (top !== undefined) await lockIds(tx, actor, [top]);
  return path;
}

/** Locks rows of posts, lowest id first. */
export async function lockIds(
  tx: StoreTransaction,
  { organizationId }: Pick<Actor, 'organizationId'>,
  ids: readonly string[],
): Promise<void> {
  const posts = tx.db<FeedbackTables>().selectFrom('feedback_posts').select('id');
  await tx.hold(posts.where('organization_id', '=', organizationId).where('id', 'in', ids).orderBy('id'));
}
