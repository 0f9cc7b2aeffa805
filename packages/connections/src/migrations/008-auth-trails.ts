/** How authorizations of connections went, step by step, for the people who began them. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

export const keepAuthTrails: Migration = async (db) => {
  await db.schema
    .createTable('oauth_trails')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('connection_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('steps', 'text', (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('oauth_trails_pk', ['connection_id', 'user_id'])
    .execute();
};
