/** Credentials for upstreams: how tokens are renewed, tokens that people bring, clients and flows of OAuth. */
import type { AnyTables, Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';
import type { Kysely } from 'kysely';

/** A table whose rows go with their connection, and with its organization. */
function ofConnection(db: Kysely<AnyTables>, name: string) {
  return db.schema
    .createTable(name)
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('connection_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    );
}

export const createCredentials: Migration = async (db) => {
  // SQLite adds one column at a time.
  for (const name of ['issuer', 'resource', 'revocation_endpoint', 'auth_method', 'lease_owner'])
    await db.schema.alterTable('downstream_tokens').addColumn(name, 'text').execute();
  for (const name of ['lease_until', 'retry_at'])
    await db.schema.alterTable('downstream_tokens').addColumn(name, epochMsColumn).execute();
  for (const name of ['failures', 'version'])
    await db.schema
      .alterTable('downstream_tokens')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  await ofConnection(db, 'personal_tokens')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('personal_tokens_pk', ['connection_id', 'user_id'])
    .execute();
  await ofConnection(db, 'oauth_clients')
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('auth_method', 'text', (column) => column.notNull())
    .addColumn('secrets', 'text')
    .addColumn('expires_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('oauth_clients_pk', ['connection_id'])
    .execute();
  await ofConnection(db, 'oauth_flows')
    .addColumn('state_hash', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('token_user_id', 'text', (column) => column.notNull())
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('oauth_flows_by_user')
    .on('oauth_flows')
    .columns(['organization_id', 'user_id', 'created_at'])
    .execute();
  await db.schema.createIndex('oauth_flows_by_expiry').on('oauth_flows').column('expires_at').execute();
};
