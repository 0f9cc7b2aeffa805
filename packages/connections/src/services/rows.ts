/** Connections as rows: which fields can be asked for, and the entities made of them. */
import type { Queryable, Rows } from '@parley/store';
import { defineRows } from '@parley/store';
import { sql } from 'kysely';
import type { ConnectionRow, ConnectionTables } from '../schema.ts';
import type { Connection } from '../shapes/connection.ts';

/** Whose rows are meant. */
export interface Scope {
  readonly organizationId: string;
}

const text = { kind: 'text' } as const;
const optionalText = { kind: 'text', nullable: true } as const;

/** What every row tells of its making. */
export const AUDIT_FIELDS = {
  organization_id: text,
  created_at: { kind: 'time' },
  updated_at: { kind: 'time' },
  created_by: text,
  updated_by: optionalText,
} as const;

/** What the search index of the table has: the texts that people look for, and what they noted themselves. */
export const SEARCHED_FIELDS = {
  // Equal ones have an index of their own.
  title: { kind: 'text', searched: 'patterns' },
  description: { kind: 'text', nullable: true, searched: 'all' },
  metadata: { kind: 'json', nullable: true, searched: 'all' },
} as const;

// Anything that could tell what a secret is counts as unknown in filters.
const hidden = { kind: 'json', nullable: true, secret: true } as const;

export const CONNECTIONS: Rows<Required<Connection>, Scope> = defineRows<Required<Connection>, Scope>({
  table: 'connections',
  scope: { organizationId: 'organization_id' },
  order: [{ field: ['created_at'], direction: 'desc' }],
  fields: {
    id: text,
    title: SEARCHED_FIELDS.title,
    description: SEARCHED_FIELDS.description,
    icon: optionalText,
    app_name: { ...optionalText, searched: 'patterns' },
    app_id: { ...optionalText, searched: 'all' },
    connection_type: text,
    connection_url: { ...optionalText, searched: 'all' },
    connection_token: { ...hidden, expression: sql`null` },
    has_connection_token: { kind: 'boolean' },
    connection_headers: hidden,
    oauth_config: hidden,
    configuration_state: { ...hidden, expression: sql`null` },
    configuration_scopes: { kind: 'json', nullable: true },
    metadata: SEARCHED_FIELDS.metadata,
    tools: {
      kind: 'json',
      nullable: true,
      expression: sql`select body from connection_catalogs as known where known.connection_id = item.id and known.kind = 'tools'`,
    },
    bindings: { kind: 'json', nullable: true },
    status: text,
    catalog: { kind: 'json' },
    ...AUDIT_FIELDS,
  },
});

/** The whole row, when it is of this organization. */
export function findRow(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<ConnectionRow | undefined> {
  return from
    .db<ConnectionTables>()
    .selectFrom('connections')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The connections of an organization that lead elsewhere, with how the last attempt to read each failed. */
export function usedRows(
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<(ConnectionRow & { readonly failed_with: string | null })[]> {
  return (
    from
      .db<ConnectionTables>()
      .selectFrom('connections as item')
      .leftJoin('connection_refreshes as refresh', 'refresh.connection_id', 'item.id')
      .selectAll('item')
      .select('refresh.failed_with')
      .where('item.organization_id', '=', organizationId)
      .where('item.connection_type', '!=', 'VIRTUAL')
      // PostgreSQL knows no empty list.
      .where('item.id', 'in', ['', ...ids])
      .execute()
  );
}
