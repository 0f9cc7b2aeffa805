/** Dashboards over call records. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const createDashboards: Migration = async (db) => {
  await db.schema
    .createTable('monitoring_dashboards')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('filters', jsonColumn, (column) => column.notNull())
    .addColumn('widgets', jsonColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('monitoring_dashboards_by_organization')
    .on('monitoring_dashboards')
    .columns(['organization_id', 'created_at'])
    .execute();
};
