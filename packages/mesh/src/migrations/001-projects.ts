/** Projects and the settings of their plugins; organizations that are there get their `org-admin`. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import { adminProject } from '../services/admin-project.ts';

export const createProjects: Migration = async (db) => {
  await db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('enabled_plugins', jsonColumn)
    .addColumn('ui', jsonColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('projects_slug', ['organization_id', 'slug'])
    .execute();
  await db.schema
    .createTable('project_plugin_configs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .addColumn('plugin_id', 'text', (column) => column.notNull())
    .addColumn('connection_id', 'text')
    .addColumn('settings', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('project_plugin_configs_once', ['project_id', 'plugin_id'])
    .execute();
  const now = Date.now();
  const organizations = await db.selectFrom('organizations').select('id').execute();
  for (const { id } of organizations)
    await db
      .insertInto('projects')
      .values(adminProject(String(id), now))
      .execute();
};
