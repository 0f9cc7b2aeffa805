/** What only some callers may do with connections. */
import type { Caller } from '@parley/kit';
import { firstUncovered, isGranted, mayAdminister, ToolError } from '@parley/kit';
import { shareSecret } from '../secrets/known-texts.ts';
import { NO_SECRETS } from '../secrets/vault.ts';
import { selfConnectionId } from '../self-connection.ts';
import { OAUTH_ENDPOINTS } from '../shapes/connection-data.ts';
import type { GatewaySettings } from '../shapes/gateway-settings.ts';
import { GATEWAY_DEFAULTS } from '../shapes/gateway-settings.ts';
import type { Upstream } from '../upstream.ts';
import { refusedProgram } from './allowed-commands.ts';
import type { Settings } from './settings.ts';
import { openapiServerOf } from './settings.ts';

/** The name that grants use for the server itself. */
export const SELF = 'self';

/** True for owners and administrators whose key is not cut to less. */
export function actsAsAdministrator(caller: Caller): boolean {
  return mayAdminister(caller) && isGranted(caller.grants, SELF, '*');
}

/** Refuses to start a program for anybody but administrators. */
export function requireAdministrator(caller: Caller, what = 'use STDIO connections'): void {
  if (!actsAsAdministrator(caller))
    throw new ToolError('forbidden', `Only owners and administrators may ${what}. Ask one of them.`);
}

/** Refuses to store a program for anybody but administrators, on the machine itself or of a server that allows it. */
export function requireProgramRight(
  caller: Caller,
  { isStdioAllowed, commands }: Upstream,
  machine: object | undefined,
  program: Settings['connection_headers'] | undefined,
): void {
  requireAdministrator(caller);
  if (!isStdioAllowed && machine === undefined)
    throw new ToolError(
      'forbidden',
      'This server starts no programs. Add it on the machine with "parley connect add NAME -- COMMAND", or start the server with --allow-stdio.',
    );
  const { command, envVars: env = {} } = program ?? {};
  const reason = command === undefined ? undefined : refusedProgram(commands, { command, env });
  if (reason !== undefined) throw new ToolError('forbidden', reason);
}

/** Refuses to let answers be larger than they are by default to anybody but administrators: each is looked through whole. */
export function requireResultRight(caller: Caller, before: GatewaySettings, after: GatewaySettings): void {
  const { maxResultBytes: usual } = GATEWAY_DEFAULTS;
  const { maxResultBytes: wanted = usual } = after;
  if (wanted <= Math.max(usual, before.maxResultBytes ?? usual) || actsAsAdministrator(caller)) return;
  throw new ToolError(
    'forbidden',
    `metadata.gateway.maxResultBytes: only owners and administrators may set more than ${usual}. Ask one of them.`,
  );
}

/** Refuses to send stored secrets to another server than the one they were stored for. */
export function requireSameSecretsOwner(
  caller: Caller,
  before: Settings,
  after: Settings,
  hasTokens: boolean,
): void {
  if (actsAsAdministrator(caller)) return;
  const { oauth_config: oauth } = before;
  if (isMoved(before, after) && (hasTokens || shareSecret({ ...before, oauth_config: null }, after)))
    throw new ToolError(
      'forbidden',
      'connection_url: the stored token and headers belong to the server before. Send them again, or ask an administrator.',
    );
  const isOAuthMoved = OAUTH_ENDPOINTS.some(
    (name) => oauth !== null && originOf(oauth[name]) !== originOf(after.oauth_config?.[name]),
  );
  if (isOAuthMoved && shareSecret({ ...NO_SECRETS, oauth_config: oauth }, after))
    throw new ToolError(
      'forbidden',
      'oauth_config: the stored client secret belongs to the server before. Send another, or ask an administrator.',
    );
}

/** Refuses to say where people sign in, and who gets the codes that they come back with, for anybody but administrators. */
export function requireOAuthRight(caller: Caller, before: Settings | undefined, after: Settings): void {
  const { oauth_config: oauth } = after;
  if (oauth === null || actsAsAdministrator(caller)) return;
  const known = before?.oauth_config;
  const changed = OAUTH_ENDPOINTS.find((name) => oauth[name] !== known?.[name]);
  if (changed !== undefined)
    throw new ToolError(
      'forbidden',
      `oauth_config.${changed}: only owners and administrators may set or change it. Ask one of them.`,
    );
  // The tokens that people sign in for would go to a server that no administrator chose.
  if (before !== undefined && isMoved(before, after))
    throw new ToolError(
      'forbidden',
      'connection_url: people sign in for the server before. Only owners and administrators may change it beside oauth_config.',
    );
}

/** True when what is said to a connection reaches another server than before. */
export function isMoved(before: Settings, after: Settings): boolean {
  return (
    originOf(before.connection_url) !== originOf(after.connection_url) ||
    originOf(serviceOf(before)) !== originOf(serviceOf(after))
  );
}

/** Where the credentials of a connection go: an OPENAPI connection may have its service elsewhere. */
function serviceOf({ connection_type: type, connection_url: url, metadata }: Settings): string | null {
  return (type === 'OPENAPI' ? openapiServerOf(metadata) : null) ?? url;
}

function originOf(url: string | null | undefined): string | null {
  return url === null || url === undefined ? null : (URL.parse(url)?.origin ?? url);
}

/** True when the caller may call anything of a connection. */
export function mayUse({ grants, organizationId }: Caller, connectionId: string): boolean {
  if (connectionId === selfConnectionId(organizationId)) return true;
  return ['*', connectionId].some((name) => Object.hasOwn(grants, name) && grants[name]?.length !== 0);
}

/** Refuses to give on what the caller does not have. */
export function requireTools(caller: Caller, connectionId: string, tools: readonly string[] | null): void {
  const missing = firstUncovered(caller.grants, { [connectionId]: tools ?? ['*'] });
  if (missing === undefined) return;
  const what = missing.tool === '*' ? 'all tools' : `the tool ${missing.tool}`;
  throw new ToolError('forbidden', `You do not have ${what} of "${connectionId}", so you cannot give it on.`);
}
