/** The connection that stands for the server itself in an organization. */
import { toJson } from '@parley/store';
import type { StoreTransaction } from '@parley/store';
import type { ConnectionTables } from './schema.ts';

/** Who made what nobody made. */
const SYSTEM = 'system';

/** What an entity says of a catalog that was never read. */
export const NO_CATALOG = { fetched_at: null, stale: false, last_error: null } as const;

/** The id of the connection to the server itself. */
export function selfConnectionId(organizationId: string): string {
  return `${organizationId}_self`;
}

/** Makes the connection of a new organization; one that is there stays as it is. */
export async function seedSelfConnection(tx: StoreTransaction, organizationId: string): Promise<void> {
  const id = selfConnectionId(organizationId);
  const now = Date.now();
  await tx
    .db<ConnectionTables>()
    .insertInto('connections')
    .values({
      id,
      organization_id: organizationId,
      title: 'Parley',
      description: 'The management tools of this organization.',
      icon: null,
      app_name: null,
      app_id: null,
      connection_type: 'VIRTUAL',
      connection_url: `virtual://${id}`,
      connection_headers: null,
      oauth_config: null,
      has_connection_token: 0,
      configuration_scopes: null,
      metadata: toJson({ isFixed: true }),
      bindings: null,
      status: 'active',
      catalog: toJson(NO_CATALOG),
      is_virtual_mcp: 0,
      virtual_id: null,
      secrets: null,
      revision: 0,
      egress_allow: null,
      created_at: now,
      updated_at: now,
      created_by: SYSTEM,
      updated_by: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
