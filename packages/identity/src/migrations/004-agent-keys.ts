/** Keys that act as an agent. */
import type { Migration } from '@parley/store';
import { jsonColumn } from '@parley/store';

export const addAgentKeys: Migration = async (db) => {
  await db.schema.alterTable('api_keys').addColumn('agent', jsonColumn).execute();
};
