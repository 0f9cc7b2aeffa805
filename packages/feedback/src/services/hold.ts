/** Holding a row for a change, so that two changes of the same thing take turns. */
import { sql } from 'kysely';
import type { FeedbackTables } from '../schema.ts';
import type { Base, Change } from './write.ts';

type HeldTable = keyof Pick<
  FeedbackTables,
  'feedback_boards' | 'feedback_statuses' | 'feedback_tags' | 'feedback_roadmaps' | 'feedback_changelog'
>;

/** Holds a row until the transaction ends; what is read after this is what the change starts from. */
export async function hold(
  { store }: Pick<Base, 'store'>,
  { tx, actor }: Pick<Change, 'tx'> & { readonly actor: { readonly organizationId: string } },
  table: HeldTable,
  id: string,
): Promise<void> {
  // A write transaction on SQLite holds everything.
  if (store.engine === 'sqlite') return;
  const { organizationId } = actor;
  await sql`select id from ${sql.table(table)}
    where organization_id = ${organizationId} and id = ${id} for update`.execute(tx.db());
}

/** Holds the settings of the organization: what must be true of a whole list is changed under it. */
export async function holdOrganization(
  { store }: Pick<Base, 'store'>,
  { tx, actor }: Pick<Change, 'tx' | 'actor'>,
): Promise<void> {
  if (store.engine === 'sqlite') return;
  await sql`select organization_id from feedback_settings
    where organization_id = ${actor.organizationId} for update`.execute(tx.db());
}

/** The time of a change, always after the one before it, so that every change is seen as one. */
export function laterThan(before: number, now: number): number {
  return Math.max(now, before + 1);
}
