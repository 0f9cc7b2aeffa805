/** What only some callers may do with connections. */
import type { Caller } from '@parley/kit';
import { firstUncovered, isGranted, mayAdminister, ToolError } from '@parley/kit';
import { selfConnectionId } from '../self-connection.ts';
import type { Upstream } from '../upstream.ts';
import type { Settings } from './settings.ts';

/** The name that grants use for the server itself. */
const SELF = 'self';

/** True for owners and administrators whose key is not cut to less. */
export function actsAsAdministrator(caller: Caller): boolean {
  return mayAdminister(caller) && isGranted(caller.grants, SELF, '*');
}

/** Refuses to store or start a program for anybody but administrators of a server that allows it. */
export function requireProgramRight(caller: Caller, { isStdioAllowed }: Upstream): void {
  if (!actsAsAdministrator(caller))
    throw new ToolError(
      'forbidden',
      'Only owners and administrators may use STDIO connections. Ask one of them.',
    );
  if (!isStdioAllowed)
    throw new ToolError(
      'forbidden',
      'This server starts no programs. Start it with --allow-stdio to use STDIO connections.',
    );
}

/** Refuses to send stored secrets to another server than the one they were stored for. */
export function requireSameSecretsOwner(caller: Caller, before: Settings, after: Settings): void {
  if (actsAsAdministrator(caller) || originOf(before) === originOf(after)) return;
  const kept = [
    [before.connection_token, after.connection_token],
    ...Object.entries(before.connection_headers?.headers ?? {}).map(([name, value]) => [
      value,
      after.connection_headers?.headers?.[name],
    ]),
  ].some(([was, is]) => was !== null && was === is);
  if (kept)
    throw new ToolError(
      'forbidden',
      'connection_url: the stored token and headers belong to the server before. Send them again, or ask an administrator.',
    );
}

function originOf({ connection_url: url }: Settings): string | null {
  return url === null ? null : (URL.parse(url)?.origin ?? url);
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
