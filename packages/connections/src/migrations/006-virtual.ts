/** What virtual MCPs change of their members, and the results that were too long for an answer. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const extendVirtualMcps: Migration = async (db) => {
  await db.schema.alterTable('connection_aggregations').addColumn('prefix', 'text').execute();
  await db.schema.alterTable('connection_aggregations').addColumn('overrides', jsonColumn).execute();
  await db.schema
    .createTable('kept_results')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('caller_id', 'text', (column) => column.notNull())
    .addColumn('toolset', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('mime_type', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('kept_results_by_time')
    .on('kept_results')
    .columns(['organization_id', 'created_at', 'size'])
    .execute();
  await db.schema.createIndex('kept_results_by_end').on('kept_results').column('expires_at').execute();
};
