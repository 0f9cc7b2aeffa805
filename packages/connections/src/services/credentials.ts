/** What a call of somebody to a connection carries: read as it is stored, and opened only to be sent. */
import type { Queryable, SecretBox } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionRow, DownstreamTokenRow, PersonalTokenRow } from '../schema.ts';
import { secretTexts } from '../secrets/known-texts.ts';
import { openConnection } from '../secrets/vault.ts';
import type { OAuthConfig } from '../shapes/connection-data.ts';
import type { GatewaySettings } from '../shapes/gateway-settings.ts';
import { GATEWAY_DEFAULTS, gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { UpstreamTarget } from '../upstream.ts';
import { openedPersonal, personalRowOf } from './personal-tokens.ts';
import { grantedRowOf, openedToken } from './tokens.ts';

/** Everything that decides about a call, still sealed. */
export interface SealedCredentials {
  readonly row: ConnectionRow;
  readonly settings: GatewaySettings;
  /** What the server gave for this person, or for everybody. */
  readonly granted: DownstreamTokenRow | undefined;
  /** What this person brought along. */
  readonly personal: PersonalTokenRow | undefined;
}

/** True when nobody authorises a connection: it has credentials of its own for the token endpoint. */
export function signsInItself(row: Pick<ConnectionRow, 'oauth_config'>): boolean {
  return grantTypeOf(row) === 'client_credentials';
}

/** How tokens of a connection are come by; undefined when nothing is stored about that. */
export function grantTypeOf({ oauth_config }: Pick<ConnectionRow, 'oauth_config'>) {
  return oauth_config === null ? undefined : fromJson<OAuthConfig>(oauth_config).grantType;
}

/** Reads what a call of this person needs. */
export async function sealedCredentials(
  from: Queryable,
  row: ConnectionRow,
  userId: string | null,
): Promise<SealedCredentials> {
  const settings = gatewaySettingsOf(row);
  const owner = { organizationId: row.organization_id, connectionId: row.id, userId };
  const granted = await grantedRowOf(from, owner, signsInItself(row) ? 'shared' : settings.oauth);
  const isPersonal = settings.personalToken !== undefined && userId !== null;
  const personal = isPersonal ? await personalRowOf(from, { ...owner, userId }) : undefined;
  return { row, settings, granted, personal };
}

/** What is known of an upstream besides its credentials. */
export type KnownReach = Pick<UpstreamTarget, 'allow' | 'era' | 'eraUntil'>;

const UNKNOWN: KnownReach = { allow: [], era: null };

const REACHED = new Set<string>(['HTTP', 'SSE', 'STDIO', 'OPENAPI']);

/** Opens what a call is sent with; undefined for what this server serves itself. */
export function openedTarget(
  box: SecretBox,
  { row, settings, granted, personal }: SealedCredentials,
  known: KnownReach = UNKNOWN,
): UpstreamTarget | undefined {
  if (!REACHED.has(row.connection_type)) return undefined;
  const secrets = openConnection(box, row);
  const {
    headers = {},
    command,
    args = [],
    cwd = null,
    envVars = {},
    isLocal,
  } = secrets.connection_headers ?? {};
  const url = secrets.connection_url;
  const token = granted && isFor(granted, url) ? openedToken(box, granted) : undefined;
  const own = personal && openedPersonal(box, personal);
  const placed = own === undefined ? {} : placedToken(settings, own);
  const replaced = new Set(Object.keys(placed).map((name) => name.toLowerCase()));
  const isKept = ([name]: readonly [string, string]) => !replaced.has(name.toLowerCase());
  return {
    id: row.id,
    organizationId: row.organization_id,
    type: row.connection_type as UpstreamTarget['type'], // one of those above
    url,
    token: replaced.has('authorization') ? null : (token?.access ?? secrets.connection_token),
    headers: { ...Object.fromEntries(Object.entries(headers).filter(isKept)), ...placed },
    program: command === undefined ? null : { command, args, cwd, env: envVars, isLocal },
    secrets: secretTexts(secrets, { granted: token, personal: own }),
    principal: row.connection_type === 'STDIO' ? '' : (personal?.user_id ?? granted?.user_id ?? ''),
    openapiServer: row.connection_type === 'OPENAPI' ? (settings.openapiServer ?? null) : null,
    ...known,
    maxResultBytes: settings.maxResultBytes ?? GATEWAY_DEFAULTS.maxResultBytes,
  };
}

/** The header that a person's own token goes into. */
function placedToken({ personalToken }: GatewaySettings, token: string): Record<string, string> {
  if (personalToken === undefined) return {};
  // Not by a pattern: a token may hold what a replacement would read as one.
  return { [personalToken.header]: personalToken.template.split('{token}').join(token) };
}

/** True when a token was given for the server that the connection has now: it goes to no other. */
function isFor({ resource }: DownstreamTokenRow, url: string | null): boolean {
  return resource === null || URL.parse(resource)?.origin === URL.parse(url ?? '')?.origin;
}
