/** Organizations, users, members, roles and API keys. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const createIdentity: Migration = async (db) => {
  await db.schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('members')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('members_once', ['organization_id', 'user_id'])
    .execute();
  await db.schema
    .createTable('member_roles')
    .addColumn('member_id', 'text', (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('member_roles_pk', ['member_id', 'role'])
    .execute();
  await db.schema
    .createTable('roles')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('grants', jsonColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('roles_once', ['organization_id', 'name'])
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('public_id', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('grants', jsonColumn, (column) => column.notNull())
    .addColumn('expires_at', epochMsColumn)
    .addColumn('last_used_at', epochMsColumn)
    .addColumn('revoked_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('api_keys_by_owner')
    .on('api_keys')
    .columns(['organization_id', 'user_id'])
    .execute();
};
