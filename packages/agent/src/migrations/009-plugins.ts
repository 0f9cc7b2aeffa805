/** Plugins that organizations have loaded, and what those may do. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const createPlugins: Migration = async (db) => {
  await db.schema
    .createTable('plugins')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('package_name', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('capabilities', jsonColumn, (column) => column.notNull())
    .addColumn('tools', jsonColumn, (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('config', 'text')
    .addColumn('crashes', jsonColumn, (column) => column.notNull())
    .addColumn('generation', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('plugins_name', ['organization_id', 'name'])
    .execute();
  await db.schema
    .createTable('plugin_capabilities')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('plugin_id', 'text', (column) => column.notNull().references('plugins.id').onDelete('cascade'))
    .addColumn('capability', 'text', (column) => column.notNull())
    .addColumn('granted', 'integer', (column) => column.notNull())
    .addColumn('granted_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('plugin_capabilities_pk', ['plugin_id', 'capability'])
    .execute();
};
