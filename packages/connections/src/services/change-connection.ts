/** Writing a connection: what is given is checked, sealed and stored in one transaction with its event. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import { newLease, takeLease } from '../refresh/lease.ts';
import type { ConnectionRow, ConnectionTables } from '../schema.ts';
import { openConnection, sealConnection } from '../secrets/vault.ts';
import { NO_CATALOG, selfConnectionId } from '../self-connection.ts';
import type { ConnectionCreate, ConnectionUpdate } from '../shapes/connection-data.ts';
import { checkedGatewaySettings, gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { Base } from './base.ts';
import { announce, authorOf, takeTurns } from './base.ts';
import { refuseTakenId, refuseUsedId } from './chosen-id.ts';
import { checkContainment } from './containment.ts';
import { forgetEra } from './known-era.ts';
import { allowAddress, privateAddress, withAddress } from './private-address.ts';
import {
  requireAdministrator,
  requireOAuthRight,
  requireProgramRight,
  requireResultRight,
  requireSameSecretsOwner,
} from './rights.ts';
import { findRow } from './rows.ts';
import { checkScopes, requireScopes } from './scopes.ts';
import type { Settings } from './settings.ts';
import { hasTokens } from './tokens.ts';
import {
  applied,
  checkSettings,
  columnsOf,
  EMPTY,
  settingsOf,
  storedLocally,
  upstreamKeyOf,
} from './settings.ts';

/** What only the machine's own command line can say: being there is the permission, and no protocol carries it. */
export interface FromMachine {
  /** `host:port` of the connection's own address, when it is a private one; null: it needs no permission. */
  readonly allow: string | null;
}

/** Stores a new connection and returns its id. */
export async function insertConnection(
  base: Base,
  caller: Caller,
  data: ConnectionCreate,
  machine?: FromMachine,
): Promise<string> {
  const { store, now } = base;
  const { organizationId } = caller;
  requireLasting(caller, 'connections');
  const allow = machine?.allow ?? null;
  const { id = typeId('conn', now()), ...given } = data;
  // Before anything else is said about the input: it must not matter to others whether it is right.
  if (given.connection_type === 'STDIO' || given.connection_headers?.command !== undefined)
    requireProgramRight(caller, base.upstream, machine, given.connection_headers);
  if (allow !== null) requireAdministrator(caller, 'reach private addresses');
  refuseTakenId(base, caller, id);
  const settings = asStored(applied(EMPTY, given), machine);
  checkSettings(settings);
  requireResultRight(caller, {}, checkedGatewaySettings(settings.metadata));
  requireOAuthRight(caller, undefined, settings);
  const egress_allow = privateAddress(base, caller, settings);
  await store.transaction(async (tx) => {
    await takeTurns(tx, organizationId);
    await refuseUsedId(tx, organizationId, id);
    await checkScopes(tx, caller, settings);
    requireScopes(caller, undefined, settings);
    const row: ConnectionRow = {
      id,
      organization_id: organizationId,
      ...columnsOf(settings),
      bindings: null,
      catalog: toJson(NO_CATALOG),
      is_virtual_mcp: 0,
      virtual_id: await virtualTarget(tx, organizationId, settings),
      secrets: sealConnection(store.secrets, { id, organization_id: organizationId }, secretsOf(settings)),
      revision: 0,
      egress_allow,
      created_at: now(),
      updated_at: now(),
      created_by: authorOf(caller),
      updated_by: null,
    };
    const { numInsertedOrUpdatedRows } = await tx
      .db<ConnectionTables>()
      .insertInto('connections')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n)
      throw new ToolError('conflict', `id: "${id}" is taken. Choose another one.`);
    if (allow !== null) await allowAddress(tx, id, allow);
    // Whoever makes it asks first, and is shown what they agree to; nobody else comes in between.
    if (row.connection_type !== 'VIRTUAL')
      await takeLease(tx, { organizationId, id }, { lease: newLease(), now: now() });
    await announce(base, tx, caller, { ...row, what: 'created' });
  });
  return id;
}

/** What an update did. */
export interface UpdatedConnection {
  readonly settings: Settings;
  /** True when the upstream has to be asked again. */
  readonly isUpstreamNew: boolean;
}

/** Changes a connection; undefined when there is none. */
export async function updateConnection(
  base: Base,
  caller: Caller,
  id: string,
  data: ConnectionUpdate,
  machine?: FromMachine,
): Promise<UpdatedConnection | undefined> {
  const { store, now } = base;
  const { organizationId } = caller;
  requireLasting(caller, 'connections');
  const allow = machine?.allow ?? null;
  return store.transaction(async (tx) => {
    await takeTurns(tx, organizationId);
    const row = await findRow(tx, organizationId, id);
    if (row === undefined) return undefined;
    requireChangeable(row);
    const before = settingsOf(row, openConnection(store.secrets, row));
    if (data.metadata !== undefined)
      requireResultRight(caller, gatewaySettingsOf(row), checkedGatewaySettings(data.metadata));
    const { settings, egress_allow } = withAddress(base, caller, {
      row,
      before,
      after: asStored(changedSettings(before, data), machine),
    });
    const isUpstreamNew = upstreamKeyOf(before) !== upstreamKeyOf(settings);
    const isProgram =
      settings.connection_type === 'STDIO' || settings.connection_headers?.command !== undefined;
    if (isUpstreamNew && isProgram)
      requireProgramRight(caller, base.upstream, machine, settings.connection_headers);
    if (allow !== null) requireAdministrator(caller, 'reach private addresses');
    checkSettings(settings);
    const owner = { organizationId, connectionId: id };
    requireSameSecretsOwner(caller, before, settings, await hasTokens(tx, owner));
    requireOAuthRight(caller, before, settings);
    if (data.configuration_scopes !== undefined || data.configuration_state !== undefined)
      await checkScopes(tx, caller, settings);
    requireScopes(caller, before, settings);
    const virtual_id = await virtualTarget(tx, organizationId, settings);
    // Nothing to write, and nobody needs to hear of it.
    if (machine === undefined && isDeepStrictEqual(before, settings)) return { settings, isUpstreamNew };
    await tx
      .db<ConnectionTables>()
      .updateTable('connections')
      .set({
        ...columnsOf(settings),
        virtual_id,
        secrets: sealConnection(store.secrets, row, secretsOf(settings)),
        revision: row.revision + (isUpstreamNew ? 1 : 0),
        egress_allow,
        updated_at: now(),
        updated_by: authorOf(caller),
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
    if (isUpstreamNew) await forgetEra(tx, id);
    if (allow !== null) await allowAddress(tx, id, allow);
    if (virtual_id !== null) await checkContainment(tx, organizationId);
    await announce(base, tx, caller, { ...settings, id, what: 'updated' });
    return { settings, isUpstreamNew };
  });
}

function requireChangeable({ id, organization_id, is_virtual_mcp }: ConnectionRow): void {
  if (is_virtual_mcp === 1)
    throw new ToolError('invalid', 'id: this is a virtual MCP. Use COLLECTION_VIRTUAL_MCP_UPDATE.');
  if (id === selfConnectionId(organization_id))
    throw new ToolError('conflict', 'The connection to the server itself cannot be changed.');
}

/** State and scopes are sent together or stand for nothing: an absent one means an empty one. */
function changedSettings(before: Settings, data: ConnectionUpdate): Settings {
  const settings = applied(before, data);
  return {
    ...settings,
    configuration_state: settings.configuration_state ?? {},
    configuration_scopes: settings.configuration_scopes ?? [],
  };
}

function asStored(settings: Settings, machine: FromMachine | undefined): Settings {
  return machine === undefined ? settings : storedLocally(settings);
}

function secretsOf(settings: Settings) {
  const { connection_url, connection_token, connection_headers, oauth_config, configuration_state } =
    settings;
  return { connection_url, connection_token, connection_headers, oauth_config, configuration_state };
}

const VIRTUAL_URL = /^virtual:\/\/([A-Za-z0-9_-]{1,64})$/;

/** The virtual MCP that a connection of the type VIRTUAL stands for. */
async function virtualTarget(
  tx: StoreTransaction,
  organizationId: string,
  { connection_type, connection_url }: Settings,
): Promise<string | null> {
  if (connection_type !== 'VIRTUAL') return null;
  const [, id] = VIRTUAL_URL.exec(connection_url ?? '') ?? [];
  const found = id === undefined ? undefined : await findRow(tx, organizationId, id);
  if (found?.is_virtual_mcp !== 1)
    throw new ToolError(
      'invalid',
      'connection_url: must be virtual://<id> of a virtual MCP of this organization',
    );
  return found.id;
}
