/** Who holds a note and for how long, and how far the holder has read. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';
import { sql } from 'kysely';

const LEASE_MS = 30 * 60_000;

/** Adds the lease; notes that were taken up long ago lapse at once. */
export const addNoteLeases: Migration = async (db) => {
  for (const column of ['holder_id', 'holder_client', 'holder_connection'])
    await db.schema.alterTable('annotations').addColumn(column, 'text').execute();
  for (const column of ['lease_until', 'edited_at'])
    await db.schema.alterTable('annotations').addColumn(column, epochMsColumn).execute();
  await db.schema
    .alterTable('annotations')
    .addColumn('shown_replies', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`UPDATE annotations SET lease_until = updated_at + ${sql.lit(LEASE_MS)}
    WHERE status IN ('acknowledged', 'diff_proposed')`.execute(db);
  // Only held notes have a lease, so this stays as small as the work that is going on.
  await db.schema.createIndex('annotations_by_lease').on('annotations').column('lease_until').execute();
};
