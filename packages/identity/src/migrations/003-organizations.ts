/** Organizations with settings, invitations, keys bound to a connection, and the audit log. */
import type { AnyTables, Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import type { Kysely } from 'kysely';

/** Adds what several organizations with several people need. */
export const addOrganizations: Migration = async (db) => {
  for (const column of ['description', 'logo'] as const)
    await db.schema.alterTable('organizations').addColumn(column, 'text').execute();
  await db.schema.alterTable('organizations').addColumn('metadata', jsonColumn).execute();
  await db.schema.alterTable('api_keys').addColumn('connection_id', 'text').execute();
  await db.schema.alterTable('api_keys').addColumn('metadata', jsonColumn).execute();
  await db.schema
    .createTable('organization_settings')
    .addColumn('organization_id', 'text', (column) =>
      column.primaryKey().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('sidebar_items', jsonColumn)
    .addColumn('enabled_plugins', jsonColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await createInvitations(db);
  await createAudit(db);
};

async function createInvitations(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('roles', jsonColumn, (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('invited_by', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .addColumn('accepted_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('invitations_by_organization')
    .on('invitations')
    .columns(['organization_id', 'created_at'])
    .execute();
}

async function createAudit(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('audit_log')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('at', epochMsColumn, (column) => column.notNull())
    .addColumn('caller_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('changed', jsonColumn, (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('prev_hash', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_log_pk', ['organization_id', 'seq'])
    .execute();
  // The end of each chain: writers take turns on its row, and entries that were cut off at the end are missed.
  await db.schema
    .createTable('audit_heads')
    .addColumn('organization_id', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('first_seq', 'bigint', (column) => column.notNull().defaultTo(1))
    .addColumn('first_prev_hash', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
