/** What a worker looks for in each pool of places: whether a task of its kinds is due. */
import type { Migration } from '@parley/store';

/** Lets a worker whose places for callers are taken see in one look whether work of the system is due. */
export const indexKinds: Migration = async (db) => {
  await db.schema.createIndex('tasks_by_kind').on('tasks').columns(['kind', 'state', 'due_at']).execute();
};
