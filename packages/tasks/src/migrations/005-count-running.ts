/** Places are counted from the tasks that run: no row is kept for them any more, and no trigger runs with a write. */
import type { Migration } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';

/** Drops the rows of counts with what kept them, and lets the index of running tasks find those of an owner. */
export const countRunning: Migration = async (db, engine) => {
  for (const statement of byEngine(engine, { sqlite: SQLITE_TRIGGERS, postgres: POSTGRES_TRIGGERS }))
    await sql.raw(statement).execute(db);
  await db.schema.dropTable('task_places').execute();
  await db.schema.dropIndex('tasks_running').execute();
  await sql
    .raw(`create index tasks_running on tasks (pool, organization_id, owner_id) where state = 'running'`)
    .execute(db);
};

const SQLITE_TRIGGERS = ['tasks_known', 'tasks_begun', 'tasks_moved', 'tasks_removed'].map(
  (name) => `drop trigger ${name}`,
);

const POSTGRES_TRIGGERS = [
  ...['tasks_begun', 'tasks_moved', 'tasks_removed'].map((name) => `drop trigger ${name} on tasks`),
  'drop function tasks_count_places()',
];
