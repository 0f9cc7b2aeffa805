/** The queue of posts that are held back. */
import type { Migration } from '@parley/store';
import { sql } from 'kysely';

/** Creates the index of the queue; posts that everybody sees are not in it. */
export const createModeration: Migration = async (db) => {
  await sql`create index feedback_posts_held on feedback_posts (organization_id, moderation, created_at, id)
    where moderation <> 'published'`.execute(db);
};
