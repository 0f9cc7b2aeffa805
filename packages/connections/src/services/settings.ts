/** A connection as it was given: how data changes it, what is refused, and the row made of it. */
import { isDeepStrictEqual } from 'node:util';
import { ToolError } from '@parley/kit';
import { fromJson, toJson, toQueryJson } from '@parley/store';
import type { ConnectionRow, ConnectionType } from '../schema.ts';
import {
  maskedState,
  maskedTexts,
  maskedUrl,
  restoredState,
  restoredText,
  restoredTexts,
  restoredUrl,
  MASK,
} from '../secrets/masking.ts';
import type { ConnectionSecrets } from '../secrets/vault.ts';
import type {
  ConnectionUpdate,
  OAuthConfig,
  StoredUpstream,
  UpstreamSettings,
} from '../shapes/connection-data.ts';
import { OAUTH_ENDPOINTS } from '../shapes/connection-data.ts';

/** Everything that a caller can set, without masks. */
export interface Settings extends ConnectionSecrets {
  readonly title: string;
  readonly description: string | null;
  readonly icon: string | null;
  readonly app_name: string | null;
  readonly app_id: string | null;
  readonly connection_type: ConnectionType;
  readonly configuration_scopes: readonly string[] | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly status: ConnectionRow['status'];
}

/** A connection before anything is said about it. */
export const EMPTY: Omit<Settings, 'title' | 'connection_type'> = {
  description: null,
  icon: null,
  app_name: null,
  app_id: null,
  connection_url: null,
  connection_token: null,
  connection_headers: null,
  oauth_config: null,
  configuration_state: null,
  configuration_scopes: null,
  metadata: null,
  status: 'active',
};

/** The settings of a row with its opened secrets. */
export function settingsOf(row: ConnectionRow, secrets: ConnectionSecrets): Settings {
  return {
    ...plainPart(row),
    ...secrets,
    configuration_scopes: orNull<string[]>(row.configuration_scopes),
    metadata: orNull<Record<string, unknown>>(row.metadata),
  };
}

type PlainField = 'title' | 'description' | 'icon' | 'app_name' | 'app_id' | 'connection_type' | 'status';

/** What is stored as it is given. */
function plainPart(from: Pick<Settings, PlainField>) {
  const { title, description, icon, app_name, app_id, connection_type, status } = from;
  return { title, description, icon, app_name, app_id, connection_type, status };
}

function orNull<T>(text: string | null): T | null {
  return text === null ? null : fromJson<T>(text);
}

/** The settings after data was applied; masks mean what is stored. */
export function applied<T extends Partial<Settings>>(before: T, data: ConnectionUpdate): T & Settings {
  const given = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  // The data has every field that a new connection needs, which its schema says.
  const after = { ...before, ...given } as T & Settings;
  return { ...after, ...restoredSecrets(before, after) };
}

function restoredSecrets(before: Partial<Settings>, after: Settings): ConnectionSecrets {
  const { connection_url: url, connection_token: token, oauth_config: oauth } = after;
  return {
    connection_url: url === null ? null : restoredUrl(url, before.connection_url, 'connection_url'),
    connection_token:
      token === null || token === ''
        ? null
        : restoredText(token, before.connection_token, 'connection_token'),
    connection_headers: restoredHeaders(before.connection_headers, after.connection_headers),
    oauth_config: oauth === null ? null : restoredOAuth(before.oauth_config, oauth),
    // An object stays one.
    configuration_state: restoredState(
      after.configuration_state,
      before.configuration_state,
      'configuration_state',
    ) as Settings['configuration_state'],
  };
}

/** The config with each of its addresses changed. */
function withEndpoints(
  config: OAuthConfig,
  change: (url: string, name: (typeof OAUTH_ENDPOINTS)[number]) => string,
): OAuthConfig {
  const changed = OAUTH_ENDPOINTS.flatMap((name) => {
    const url = config[name];
    return url === undefined ? [] : [[name, change(url, name)]];
  });
  return { ...config, ...Object.fromEntries(changed) };
}

function restoredOAuth(before: OAuthConfig | null | undefined, after: OAuthConfig): OAuthConfig {
  const path = 'oauth_config';
  const restored = withEndpoints(after, (url, name) => restoredUrl(url, before?.[name], `${path}.${name}`));
  const { clientSecret } = after;
  if (clientSecret === undefined) return restored;
  return {
    ...restored,
    clientSecret: restoredText(clientSecret, before?.clientSecret, `${path}.clientSecret`),
  };
}

function maskedOAuth(config: OAuthConfig): OAuthConfig {
  const masked = withEndpoints(config, maskedUrl);
  return config.clientSecret === undefined ? masked : { ...masked, clientSecret: MASK };
}

function restoredHeaders(
  before: StoredUpstream | null | undefined,
  after: StoredUpstream | null,
): StoredUpstream | null {
  if (after === null) return null;
  const { isLocal: _given, ...given } = after;
  const { headers, envVars } = given;
  const path = 'connection_headers';
  const restored = {
    ...given,
    ...(headers && { headers: restoredTexts(headers, before?.headers ?? {}, `${path}.headers`) }),
    ...(envVars && { envVars: restoredTexts(envVars, before?.envVars ?? {}, `${path}.envVars`) }),
  };
  // The machine's own word holds for the program that it was given for, and for no other.
  const { isLocal, ...known } = before ?? {};
  return isLocal === true && isDeepStrictEqual(known, restored) ? { ...restored, isLocal } : restored;
}

// The client and the protocol set these themselves.
const OWN_HEADERS = /^(host|content-length|transfer-encoding|connection|mcp-.*)$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Printable ASCII and Latin letters, spaces and tabs: what a header can carry.
const HEADER_VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

/** The settings with the machine's own word that their program may be started. */
export function storedLocally<T extends Pick<Settings, 'connection_headers'>>(settings: T): T {
  const { connection_headers: upstream } = settings;
  if (upstream?.command === undefined) return settings;
  return { ...settings, connection_headers: { ...upstream, isLocal: true } };
}

/** Refuses what no upstream could be reached with. */
export function checkSettings({
  connection_type: type,
  connection_url: url,
  connection_headers,
  oauth_config: oauth,
  metadata,
}: Settings): void {
  if (type === 'Websocket')
    throw new ToolError('invalid', 'connection_type: Websocket cannot be used yet. Use HTTP or SSE.');
  const isProgram = type === 'STDIO';
  if (isProgram && url !== null)
    throw new ToolError('invalid', 'connection_url: a STDIO connection has none. Leave it out.');
  if ((type === 'HTTP' || type === 'SSE' || type === 'OPENAPI') && url !== null)
    checkUrl(url, 'connection_url');
  if (type === 'OPENAPI' && url === null)
    throw new ToolError('invalid', 'connection_url: must be the address of an OpenAPI document.');
  const server = openapiServerOf(metadata);
  if (server !== null) checkUrl(server, 'metadata.gateway.openapiServer');
  for (const name of OAUTH_ENDPOINTS)
    if (oauth?.[name] !== undefined) checkUrl(oauth[name], `oauth_config.${name}`);
  if (connection_headers === null) return;
  const { headers, isLocal: _word, ...program } = connection_headers;
  if (isProgram && (headers !== undefined || program.command === undefined))
    throw new ToolError('invalid', 'connection_headers: a STDIO connection has a command and no headers.');
  if (!isProgram && Object.values(program).some((value) => value !== undefined))
    throw new ToolError('invalid', 'connection_headers: only a STDIO connection has a command.');
  for (const [name, value] of Object.entries(headers ?? {})) checkHeader(name, value);
  for (const name of Object.keys(program.envVars ?? {})) checkVariable(name);
}

function checkUrl(text: string, path: string): void {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new ToolError('invalid', `${path}: must be an address like https://host/mcp`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError(
      'invalid',
      `${path}: must not hold a user name or password. Send them as connection_token or in a header.`,
    );
}

function checkHeader(name: string, value: string): void {
  const path = `connection_headers.headers.${name.slice(0, 60)}`;
  if (!HEADER_NAME.test(name)) throw new ToolError('invalid', `${path}: is not the name of a header`);
  if (OWN_HEADERS.test(name))
    throw new ToolError('invalid', `${path}: is set by the connection itself. Leave it out.`);
  if (!HEADER_VALUE.test(value))
    throw new ToolError('invalid', `${path}: has characters that no header can carry`);
}

function checkVariable(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return;
  throw new ToolError(
    'invalid',
    `connection_headers.envVars.${name.slice(0, 60)}: is not the name of a variable`,
  );
}

/** The columns of a row, masked where anybody may look. */
export function columnsOf(settings: Settings) {
  const { connection_url: url, connection_headers, oauth_config, configuration_scopes, metadata } = settings;
  return {
    ...plainPart(settings),
    connection_url: url === null ? null : maskedUrl(url),
    connection_headers: connection_headers === null ? null : toJson(maskedHeaders(connection_headers)),
    oauth_config: oauth_config === null ? null : toJson(maskedOAuth(oauth_config)),
    has_connection_token: settings.connection_token === null ? (0 as const) : (1 as const),
    configuration_scopes: configuration_scopes === null ? null : toQueryJson(configuration_scopes),
    metadata: metadata === null ? null : toQueryJson(metadata),
  };
}

function maskedHeaders({ headers, envVars, isLocal: _word, ...rest }: StoredUpstream): UpstreamSettings {
  return {
    ...rest,
    ...(headers && { headers: maskedTexts(headers) }),
    ...(envVars && { envVars: maskedTexts(envVars) }),
  };
}

/** The state as readers see it. */
export function shownState({ configuration_state }: ConnectionSecrets): Record<string, unknown> | null {
  // An object stays one.
  return maskedState(configuration_state) as Record<string, unknown> | null;
}

/** The part that decides what an upstream is and says; when it changes, the upstream is asked again. */
export function upstreamKeyOf(settings: Settings): string {
  const { connection_type, connection_url, connection_token, connection_headers, metadata } = settings;
  const server = openapiServerOf(metadata);
  return toJson([connection_type, connection_url, connection_token, connection_headers, server]);
}

/** True when the server of a connection gets tokens to call back with. */
export function callsBack({ metadata }: Pick<Settings, 'metadata'>): boolean {
  const gateway = metadata?.['gateway'];
  if (typeof gateway !== 'object' || gateway === null || !('callbackToken' in gateway)) return false;
  return gateway.callbackToken === true;
}

/** Where the service of an OPENAPI connection is, when its settings say so. */
export function openapiServerOf(metadata: Settings['metadata']): string | null {
  const gateway = metadata?.['gateway'];
  if (typeof gateway !== 'object' || gateway === null || !('openapiServer' in gateway)) return null;
  return typeof gateway.openapiServer === 'string' ? gateway.openapiServer : null;
}
