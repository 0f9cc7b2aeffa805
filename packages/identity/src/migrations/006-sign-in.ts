/** Signing in to the console: sessions, one-time links, passwords, passkeys, and how often it failed. */
import type { Kysely } from 'kysely';
import type { AnyTables, Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const addSignIn: Migration = async (db) => {
  await createSessions(db);
  await createCredentials(db);
  await createAttempts(db);
};

async function createSessions(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('web_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('device', 'text', (column) => column.notNull())
    .addColumn('proven_at', epochMsColumn, (column) => column.notNull())
    .addColumn('seen_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('web_sessions_by_user')
    .on('web_sessions')
    .columns(['user_id', 'seen_at'])
    .execute();
  await db.schema.createIndex('web_sessions_by_seen').on('web_sessions').column('seen_at').execute();
  await db.schema
    .createTable('sign_in_links')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .execute();
}

async function createCredentials(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('passwords')
    .addColumn('user_id', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('changed_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports', jsonColumn, (column) => column.notNull())
    .addColumn('used_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('passkeys_by_user').on('passkeys').column('user_id').execute();
}

async function createAttempts(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createTable('used_challenges')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('sign_in_attempts')
    .addColumn('bucket', 'text', (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('last_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sign_in_attempts_by_time').on('sign_in_attempts').column('last_at').execute();
}
