/** How often agents use what lies outside, and the tasks that remote agents give to them. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

export const createOutside: Migration = async (db) => {
  await db.schema
    .createTable('agent_uses')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('agent_uses_by_subject')
    .on('agent_uses')
    .columns(['organization_id', 'kind', 'subject', 'created_at'])
    .execute();
  await db.schema.createIndex('agent_uses_by_end').on('agent_uses').column('expires_at').execute();
  await db.schema
    .createTable('agent_remote_tasks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('caller_id', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('skill', 'text')
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('timeout_ms', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reply', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('agent_remote_tasks_by_age')
    .on('agent_remote_tasks')
    .columns(['state', 'updated_at'])
    .execute();
};
