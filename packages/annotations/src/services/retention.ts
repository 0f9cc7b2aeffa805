/** Removes what nobody needs any more: old closed notes, the pictures they had, and empty old sessions. */
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationTables } from '../schema.ts';
import type { ActionParts } from './transitions.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Runs one sweep; safe in several processes at once. */
export function sweepOld(
  { store, changes, now }: ActionParts,
  limits: Pick<AnnotationLimits, 'keepClosedMs'>,
): Promise<void> {
  const before = now() - limits.keepClosedMs;
  return store.transaction(async (tx) => {
    const db = tx.db<AnnotationTables>();
    await db
      .deleteFrom('annotations')
      .where('status', 'in', ['resolved', 'dismissed'])
      .where('updated_at', '<', before)
      .execute();
    // An upload waits for its note for a day at most.
    await db
      .deleteFrom('annotation_screenshots')
      .where('created_at', '<', now() - DAY_MS)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('annotations')
              .select('annotations.id')
              .whereRef('annotations.screenshot_id', '=', 'annotation_screenshots.id'),
          ),
        ),
      )
      .execute();
    const gone = await db
      .deleteFrom('annotation_sessions')
      .where('last_seen_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('annotations')
              .select('annotations.id')
              .whereRef('annotations.session_id', '=', 'annotation_sessions.id'),
          ),
        ),
      )
      .returning(['id', 'organization_id'])
      .execute();
    for (const { id, organization_id: organizationId } of gone) {
      await changes.announce(tx, { kind: 'session', organizationId, sessionId: id, isListChange: true });
    }
  });
}
