/** Asking an upstream about itself, with the credentials that a call of this caller would carry. */
import type { Caller } from '@parley/kit';
import type { ConnectionRow } from '../schema.ts';
import { secretTexts, withoutTexts } from '../secrets/known-texts.ts';
import { openConnection } from '../secrets/vault.ts';
import { GATEWAY_DEFAULTS } from '../shapes/gateway-settings.ts';
import type { UpstreamTarget } from '../upstream.ts';
import type { Base } from './base.ts';
import { authorOf } from './base.ts';
import { keepDiscovery } from './catalogs.ts';
import { actsAsAdministrator } from './rights.ts';
import { findRow } from './rows.ts';
import type { Settings } from './settings.ts';
import { openapiServerOf, settingsOf } from './settings.ts';
import { grantedTokenOf } from './tokens.ts';

/** Where a connection leads; undefined for what this server serves itself. */
export async function targetOf(
  { store }: Pick<Base, 'store'>,
  { organizationId, userId }: Caller,
  row: ConnectionRow,
): Promise<UpstreamTarget | undefined> {
  const { id, connection_type: type } = row;
  if (type === 'VIRTUAL' || type === 'Websocket') return undefined;
  const secrets = openConnection(store.secrets, row);
  const { headers = {}, command, args = [], cwd = null, envVars = {} } = secrets.connection_headers ?? {};
  const owner = { organizationId, connectionId: id, userId };
  const granted = await grantedTokenOf(store, store.secrets, owner);
  return {
    id,
    organizationId,
    type,
    url: secrets.connection_url,
    token: granted?.access ?? secrets.connection_token,
    headers,
    program: command === undefined ? null : { command, args, cwd, env: envVars },
    secrets: secretTexts(secrets, granted),
    principal: granted === undefined ? '' : (userId ?? ''),
    allow: [],
    openapiServer: type === 'OPENAPI' ? openapiServerOf(settingsOf(row, secrets).metadata) : null,
    era: null,
    maxResultBytes: GATEWAY_DEFAULTS.maxResultBytes,
  };
}

/** Asks for the tools of a connection and keeps what came of it. */
export async function rediscover(base: Base, caller: Caller, id: string): Promise<void> {
  const { store, upstream, now } = base;
  const { organizationId } = caller;
  const row = await findRow(store, organizationId, id);
  const target = row && (await targetOf(base, caller, row));
  if (row === undefined || target === undefined) return;
  // A server may say back what it was sent, and its tools are shown to everybody.
  const found = withoutTexts(await upstream.discover(target), target.secrets);
  const asked = { organizationId, id, revision: row.revision, by: authorOf(caller), now: now() };
  await store.transaction((tx) => keepDiscovery(tx, asked, found));
}

/** What came of telling an upstream its configuration. */
export interface ConfigurationOutcome {
  readonly delivered: boolean;
  readonly message?: string;
}

const ON_CONFIGURATION = 'ON_MCP_CONFIGURATION';

/** Tells an upstream that wants to hear of it what it is configured with; undefined when it does not. */
export async function tellConfiguration(
  base: Base,
  caller: Caller,
  id: string,
  settings: Settings,
  tools: readonly Readonly<Record<string, unknown>>[] | null,
): Promise<ConfigurationOutcome | undefined> {
  if (tools?.some(({ name }) => name === ON_CONFIGURATION) !== true) return undefined;
  const row = await findRow(base.store, caller.organizationId, id);
  const target = row && (await targetOf(base, caller, row));
  if (target === undefined) return undefined;
  // Telling a program means starting it, which takes the same right as storing it.
  if (target.type === 'STDIO' && !actsAsAdministrator(caller))
    return { delivered: false, message: 'Only owners and administrators start STDIO connections.' };
  const { configuration_state: state, configuration_scopes: scopes } = settings;
  const outcome = await base.upstream.call(target, ON_CONFIGURATION, {
    state: state ?? {},
    scopes: scopes ?? [],
  });
  if (!outcome.ok) return { delivered: false, message: outcome.message };
  return outcome.outcome === 'answered'
    ? { delivered: true }
    : { delivered: false, message: `The tool ${ON_CONFIGURATION} of the server failed.` };
}
