/** Agents, the projects that they reach, and the bundles that give them tools. */
import type { AnyTables, Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import type { Kysely } from 'kysely';

export const createAgents: Migration = async (db) => {
  await db.schema
    .createTable('agents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().unique())
    .addColumn('mcp_tool_permissions', jsonColumn)
    .addColumn('default_project_id', 'text')
    .addColumn('runner', 'text')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('agents_name', ['organization_id', 'name_key'])
    .execute();
  await db.schema
    .createTable('agent_projects')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_projects_pk', ['agent_id', 'project_id'])
    .execute();
  await createBundles(db);
};

async function createBundles(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('skill_bundles')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('tools', jsonColumn, (column) => column.notNull())
    .addColumn('prompt_additions', 'text', (column) => column.notNull())
    .addColumn('preset', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('skill_bundles_name', ['organization_id', 'name_key'])
    .execute();
  for (const [table, owner] of [
    ['agent_skills', 'agent_id'],
    ['project_skills', 'project_id'],
  ] as const) {
    await db.schema
      .createTable(table)
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn(owner, 'text', (column) =>
        table === 'agent_skills'
          ? column.notNull().references('agents.id').onDelete('cascade')
          : column.notNull(),
      )
      .addColumn('bundle_id', 'text', (column) =>
        column.notNull().references('skill_bundles.id').onDelete('cascade'),
      )
      .addColumn('sort_order', 'integer', (column) => column.notNull())
      .addColumn('created_at', epochMsColumn, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_pk`, [owner, 'bundle_id'])
      .execute();
    await db.schema.createIndex(`${table}_by_bundle`).on(table).column('bundle_id').execute();
  }
}
