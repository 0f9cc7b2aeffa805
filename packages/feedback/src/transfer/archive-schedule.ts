/** The end of an archive: entries whose time lies ahead are scheduled, and the import is closed. */
import type { Actor } from '../actor.ts';
import type { FeedbackTables } from '../schema.ts';
import type { ArchiveLine } from './archive-check.ts';
import type { ImportServices } from './import-posts.ts';

/** When an entry is to be published, and when it was last changed. */
export type Scheduled = Map<string, { readonly publishedAt: string; readonly updatedAt: string }>;

/** Remembers an entry that has a time. */
export function scheduledIn(scheduled: Scheduled, line: ArchiveLine): void {
  if (line.kind !== 'changelog') return;
  const { id, publishedAt, updatedAt, deletedAt } = line.fields;
  if (typeof publishedAt === 'string' && deletedAt === null)
    scheduled.set(String(id), { publishedAt, updatedAt: String(updatedAt) });
}

/** Schedules what is still a draft, and marks the archive as imported. */
export async function finishArchive(
  { store, changelog, now }: ImportServices,
  actor: Actor,
  { importKey, scheduled }: { readonly importKey: string; readonly scheduled: Scheduled },
): Promise<void> {
  const { organizationId } = actor;
  const db = store.db<FeedbackTables>();
  for (const [id, { publishedAt, updatedAt }] of scheduled) {
    const row = await db
      .selectFrom('feedback_changelog')
      .select('published_at')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) continue;
    if (row.published_at === null) await changelog.update(actor, id, { publishedAt });
    await db
      .updateTable('feedback_changelog')
      .set({ updated_at: Date.parse(updatedAt) })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
  }
  await db
    .updateTable('feedback_archives')
    .set({ finished_at: now() })
    .where('organization_id', '=', organizationId)
    .where('import_key', '=', importKey)
    .execute();
}
