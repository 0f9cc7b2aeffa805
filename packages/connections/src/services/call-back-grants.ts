/** What the server of a connection may call back for, as the connection is now. */
import type { Grants } from '@parley/kit';
import type { Queryable, SecretBox } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionRow } from '../schema.ts';
import { openConnection } from '../secrets/vault.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import { findRow } from './rows.ts';
import { grantsOfScopes } from './scopes.ts';

/** The grants of its scopes; undefined for one that is off, or that may not call back. */
export function callBackGrants(secrets: SecretBox, row: ConnectionRow): Grants | undefined {
  if (row.status === 'inactive' || gatewaySettingsOf(row).callbackToken !== true) return undefined;
  const scopes = row.configuration_scopes;
  return grantsOfScopes(row.organization_id, {
    configuration_scopes: scopes === null ? null : fromJson<string[]>(scopes),
    configuration_state: openConnection(secrets, row).configuration_state,
  });
}

/** The same by id; undefined too when there is no such connection. */
export async function callBackGrantsOf(
  store: Queryable & { readonly secrets: SecretBox },
  organizationId: string,
  connectionId: string,
): Promise<Grants | undefined> {
  const row = await findRow(store, organizationId, connectionId);
  return row && callBackGrants(store.secrets, row);
}
