/** What was loaded is known by a digest; a plugin from before has to be loaded again. */
import type { Migration } from '@parley/store';

export const addPluginDigest: Migration = async (db) => {
  await db.schema
    .alterTable('plugins')
    .addColumn('digest', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
};
