/** Tasks that wait for an answer are counted with every look at the console. */
import type { Migration } from '@parley/store';
import { sql } from 'kysely';

/** Adds an index of them. */
export const indexAsking: Migration = async (db) => {
  await sql
    .raw(`create index tasks_asking on tasks (organization_id, owner_id) where state = 'asking'`)
    .execute(db);
};
