/** Pictures and confirmed e-mails of users, roles of keys, and sign-in sessions. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

/** Adds what people who sign in need. */
export const addPeople: Migration = async (db) => {
  await db.schema.alterTable('users').addColumn('image', 'text').execute();
  await db.schema
    .alterTable('users')
    .addColumn('email_verified', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('api_keys').addColumn('role', 'text').execute();
  await db.schema
    .createTable('sign_in_sessions')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('member_id', 'text', (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('seen_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('sign_in_sessions_by_member')
    .on('sign_in_sessions')
    .column('member_id')
    .execute();
  await db.schema.createIndex('sign_in_sessions_by_seen').on('sign_in_sessions').column('seen_at').execute();
};
