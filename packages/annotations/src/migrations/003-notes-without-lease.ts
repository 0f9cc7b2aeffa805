/** Finds notes that a process from before there were leases has taken up. */
import type { Migration } from '@parley/store';
import { sql } from 'kysely';

/** Adds an index of them alone; it is empty as soon as all processes are new. */
export const indexNotesWithoutLease: Migration = async (db) => {
  // The first column is always null; with it SQLite prefers this index to that of all leases.
  await sql`CREATE INDEX annotations_without_lease ON annotations (lease_until, updated_at)
    WHERE lease_until IS NULL AND status IN ('acknowledged', 'diff_proposed')`.execute(db);
};
