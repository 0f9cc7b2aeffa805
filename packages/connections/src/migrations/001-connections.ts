/** Connections, what is known of their upstreams, and the virtual MCPs made of them. */
import type { AnyTables, Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import type { CreateTableBuilder, Kysely } from 'kysely';

/** A table whose rows go with their organization. */
function ownedTable(db: Kysely<AnyTables>, name: string) {
  return db.schema
    .createTable(name)
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    );
}

function withAuthors<T extends string, C extends string>(table: CreateTableBuilder<T, C>) {
  return table
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('updated_by', 'text');
}

export const createConnections: Migration = async (db) => {
  await withAuthors(ownedTable(db, 'connections'))
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('icon', 'text')
    .addColumn('app_name', 'text')
    .addColumn('app_id', 'text')
    .addColumn('connection_type', 'text', (column) => column.notNull())
    .addColumn('connection_url', 'text')
    .addColumn('connection_headers', jsonColumn)
    .addColumn('oauth_config', jsonColumn)
    .addColumn('has_connection_token', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('configuration_scopes', jsonColumn)
    .addColumn('metadata', jsonColumn)
    .addColumn('bindings', jsonColumn)
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('catalog', jsonColumn, (column) => column.notNull())
    .addColumn('is_virtual_mcp', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('virtual_id', 'text')
    .addColumn('secrets', 'text')
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('connections_by_time')
    .on('connections')
    .columns(['organization_id', 'created_at', 'id'])
    .execute();
  // The fields that people filter by: found, in the usual order, and counted without virtual ones by the index alone.
  for (const column of ['title', 'app_name', 'status'])
    await db.schema
      .createIndex(`connections_by_${column}`)
      .on('connections')
      .columns(['organization_id', column, 'created_at', 'connection_type'])
      .execute();
  await db.schema.createIndex('connections_by_virtual').on('connections').column('virtual_id').execute();
  await createCatalogs(db);
  await createMembers(db);
  await createVirtualTools(db);
  await createTokens(db);
};

async function createCatalogs(db: Kysely<AnyTables>): Promise<void> {
  await ownedTable(db, 'connection_catalogs')
    .addColumn('connection_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('body', jsonColumn, (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('fetched_at', epochMsColumn, (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addPrimaryKeyConstraint('connection_catalogs_pk', ['connection_id', 'kind'])
    .execute();
  await ownedTable(db, 'tool_pins')
    .addColumn('connection_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    .addColumn('tool_name', 'text', (column) => column.notNull())
    .addColumn('definition_hash', 'text', (column) => column.notNull())
    .addColumn('definition', jsonColumn, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('approved_by', 'text')
    .addColumn('approved_at', epochMsColumn)
    .addPrimaryKeyConstraint('tool_pins_pk', ['connection_id', 'tool_name'])
    .execute();
  await db.schema
    .createIndex('tool_pins_by_name')
    .on('tool_pins')
    .columns(['organization_id', 'tool_name'])
    .execute();
}

async function createMembers(db: Kysely<AnyTables>): Promise<void> {
  await ownedTable(db, 'connection_aggregations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('parent_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    // Looked at when the statement ends, so that an organization can go with all it has.
    .addColumn('child_id', 'text', (column) => column.notNull().references('connections.id'))
    .addColumn('selected_tools', jsonColumn)
    .addColumn('selected_resources', jsonColumn)
    .addColumn('selected_prompts', jsonColumn)
    .addColumn('alias', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('dependency_mode', 'text', (column) => column.notNull())
    .addUniqueConstraint('connection_aggregations_once', ['parent_id', 'child_id', 'dependency_mode'])
    .execute();
  await db.schema
    .createIndex('connection_aggregations_by_child')
    .on('connection_aggregations')
    .columns(['child_id', 'parent_id'])
    .execute();
  await ownedTable(db, 'exposed_names')
    .addColumn('virtual_mcp_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    .addColumn('connection_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('upstream_name', 'text', (column) => column.notNull())
    .addColumn('exposed_name', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('exposed_names_pk', ['virtual_mcp_id', 'kind', 'exposed_name'])
    .execute();
}

async function createVirtualTools(db: Kysely<AnyTables>): Promise<void> {
  await withAuthors(ownedTable(db, 'virtual_tools'))
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('virtual_mcp_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('input_schema', jsonColumn, (column) => column.notNull())
    .addColumn('output_schema', jsonColumn)
    .addColumn('hints', jsonColumn)
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('connection_dependencies', jsonColumn, (column) => column.notNull())
    .addUniqueConstraint('virtual_tools_once', ['virtual_mcp_id', 'name'])
    .execute();
}

async function createTokens(db: Kysely<AnyTables>): Promise<void> {
  await ownedTable(db, 'downstream_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('connection_id', 'text', (column) =>
      column.notNull().references('connections.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('scope', 'text')
    .addColumn('expires_at', epochMsColumn)
    .addColumn('token_endpoint', 'text')
    .addColumn('client_id', 'text')
    .addColumn('needs_reauth', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('downstream_tokens_once', ['connection_id', 'user_id'])
    .execute();
}
