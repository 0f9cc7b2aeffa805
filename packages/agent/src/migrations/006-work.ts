/** The code of projects, and the work that agents do on it. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

export const createWork: Migration = async (db) => {
  await db.schema
    .createTable('project_code')
    .addColumn('project_id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('folder', 'text', (column) => column.notNull())
    .addColumn('check_command', 'text')
    .addColumn('install_command', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('work_tasks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('branch', 'text')
    .addColumn('repository', 'text')
    .addColumn('iterations', 'integer', (column) => column.notNull())
    .addColumn('pr_url', 'text')
    .addColumn('error', 'text')
    .addColumn('reply', 'text')
    .addColumn('task_id', 'text')
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('unattended', 'integer', (column) => column.notNull())
    .addColumn('claim_hash', 'text')
    .addColumn('lease_until', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('finished_at', epochMsColumn)
    .execute();
  await db.schema
    .createIndex('work_tasks_by_agent')
    .on('work_tasks')
    .columns(['agent_id', 'created_at'])
    .execute();
  await db.schema
    .createIndex('work_tasks_by_project')
    .on('work_tasks')
    .columns(['organization_id', 'project_id', 'status'])
    .execute();
  await db.schema.createIndex('work_tasks_by_end').on('work_tasks').column('finished_at').execute();
};
