/** The ids that deleted connections and virtual MCPs had, which grants of keys and roles may still name. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

export const rememberUsedIds: Migration = async (db) => {
  await db.schema
    .createTable('connection_ids_used')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('deleted_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('connection_ids_used_pk', ['organization_id', 'id'])
    .execute();
};
