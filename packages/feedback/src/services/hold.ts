/** Holding a row for a change, so that two changes of the same thing take turns. */
import type { FeedbackTables } from '../schema.ts';
import type { Change } from './write.ts';

type HeldTable = keyof Pick<
  FeedbackTables,
  'feedback_boards' | 'feedback_statuses' | 'feedback_tags' | 'feedback_roadmaps' | 'feedback_changelog'
>;

/** Holds a row until the transaction ends; what is read after this is what the change starts from. */
export async function hold(
  { tx, actor }: Pick<Change, 'tx'> & { readonly actor: { readonly organizationId: string } },
  table: HeldTable,
  id: string,
): Promise<void> {
  const { organizationId } = actor;
  const rows = tx.db<Record<HeldTable, { organization_id: string; id: string }>>().selectFrom(table);
  await tx.hold(rows.select('id').where('organization_id', '=', organizationId).where('id', '=', id));
}

/** Holds the settings of the organization: what must be true of a whole list is changed under it. */
export async function holdOrganization({ tx, actor }: Pick<Change, 'tx' | 'actor'>): Promise<void> {
  const settings = tx.db<FeedbackTables>().selectFrom('feedback_settings').select('organization_id');
  await tx.hold(settings.where('organization_id', '=', actor.organizationId));
}

/** The time of a change, always after the one before it, so that every change is seen as one. */
export function laterThan(before: number, now: number): number {
  return Math.max(now, before + 1);
}
