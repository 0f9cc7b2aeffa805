/** Votes that a file brought along: a number for each post, since nobody knows who gave them. */
import type { Migration } from '@parley/store';
import { sql } from 'kysely';

/** Adds the number; posts that are there already have none. */
export const addImportedVotes: Migration = async (db) => {
  await db.schema
    .alterTable('feedback_posts')
    .addColumn('imported_votes', 'integer', (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`imported_votes >= 0`),
    )
    .execute();
};
