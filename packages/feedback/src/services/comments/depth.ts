/** How deep a thread may go: readers, JSON and pages all have an end. */
import { RuleBroken } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Change } from '../write.ts';

/** Levels of a thread, the comment on the post itself included. */
export const MAX_LEVELS = 100;

interface PathTables extends FeedbackTables {
  path: { id: string; parent_id: string | null; level: number };
}

/** Refuses a reply that would stand below the last level. */
export async function requireRoomBelow({ tx, actor }: Change, parentId: string): Promise<void> {
  const { organizationId } = actor;
  const { level } = await tx
    .db<PathTables>()
    .withRecursive('path(id, parent_id, level)', (db) =>
      db
        .selectFrom('feedback_comments')
        .select(({ lit }) => ['id', 'parent_id', lit(1).as('level')])
        .where('organization_id', '=', organizationId)
        .where('id', '=', parentId)
        .unionAll(
          db
            .selectFrom('feedback_comments as above')
            .innerJoin('path', 'path.parent_id', 'above.id')
            .select(({ eb }) => ['above.id', 'above.parent_id', eb('path.level', '+', 1).as('level')])
            .where('above.organization_id', '=', organizationId)
            .where('path.level', '<', MAX_LEVELS),
        ),
    )
    .selectFrom('path')
    .select(({ fn }) => fn.max('level').as('level'))
    .executeTakeFirstOrThrow();
  if (level >= MAX_LEVELS)
    throw new RuleBroken(
      `This thread is ${MAX_LEVELS} replies deep, which is the most. Reply to a comment further up.`,
    );
}
