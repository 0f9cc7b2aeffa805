/** What somebody is told whose call lacks a credential: what is missing, and where to bring it. */
import type { SealedCredentials } from '@parley/connections';
import { actsAsAdministrator } from '@parley/connections';
import type { Caller } from '@parley/kit';
import { UpstreamFault } from '../link.ts';
import { startAddress } from './auth-links.ts';
import type { CredentialParts } from './parts.ts';

/** Why a call cannot be made as it stands. */
export type Lack =
  /** Nobody has given anything yet. */
  | 'missing'
  /** What was given works no more. */
  | 'over'
  /** The server refused what the call carried. */
  | 'refused';

const SENTENCE: Readonly<Record<Lack, string>> = {
  missing: 'has to be authorised first.',
  over: 'has to be authorised again.',
  refused: 'did not accept the credentials of this call.',
};

/** The fault of a call without the token that people bring along. */
export function personalTokenNeeded({ row }: SealedCredentials, lack: Lack): UpstreamFault {
  const what = lack === 'refused' ? 'did not accept your token.' : 'needs a token of your own.';
  const message = `"${row.title}" ${what} Set it with PUT /api/connections/${row.id}/token.`;
  return new UpstreamFault('auth_required', message, { wasSent: lack === 'refused' });
}

/** The fault of a call without a token of its server, with a link for whoever may do something about it. */
export function authorizationNeeded(
  parts: Pick<CredentialParts, 'store' | 'now' | 'baseUrl'>,
  caller: Caller,
  { row, settings }: SealedCredentials,
  lack: Lack,
): UpstreamFault {
  const base = parts.baseUrl();
  const { organizationId, userId } = caller;
  const isShared = settings.oauth === 'shared';
  // Nobody opens a link for a caller who is no person, or who may not do it.
  const isTheirs = caller.agent === undefined && (!isShared || actsAsAdministrator(caller));
  const link =
    base !== undefined && userId !== null && isTheirs
      ? startAddress(parts, base, { organizationId, connectionId: row.id, userId })
      : undefined;
  const how =
    link === undefined
      ? `Use POST /api/connections/${row.id}/authorize.`
      : `Open this link within 10 minutes: ${link}`;
  const who = isShared ? 'An owner or administrator does it for everybody. ' : '';
  const message = `"${row.title}" ${SENTENCE[lack]} ${who}${how}`;
  return new UpstreamFault('auth_required', message, { wasSent: lack === 'refused', link });
}

/** The fault of a call that its server refused, though nobody gave a token of their own for it. */
export function refusedBy(
  parts: Pick<CredentialParts, 'store' | 'now' | 'baseUrl'>,
  caller: Caller,
  sealed: SealedCredentials,
): UpstreamFault {
  const { row, settings } = sealed;
  const refused = (how: string) =>
    new UpstreamFault('auth_required', `"${row.title}" did not accept this call. ${how}`);
  if (settings.mappedHeader !== undefined)
    return refused(`Send your key for it in the header ${settings.mappedHeader.from}.`);
  const isStored = row.has_connection_token === 1 && settings.oauth === undefined;
  if (isStored) return refused('Whoever manages the connection has to store another token.');
  // A service that is only described has no place to sign in, unless somebody has said where.
  const hasSignIn =
    row.connection_type !== 'OPENAPI' || row.oauth_config !== null || settings.oauth !== undefined;
  if (!hasSignIn)
    return refused('Whoever manages the connection has to give it a token, as its connection_token.');
  return authorizationNeeded(parts, caller, sealed, 'refused');
}

/** The fault of a call whose token is over while nobody can be asked for a new one. */
export function renewalFailed({ row, granted }: SealedCredentials, now: number): UpstreamFault {
  const retryAfterMs = Math.max(1000, (granted?.retry_at ?? now) - now);
  const message = `The token for "${row.title}" could not be renewed just now. Try again later.`;
  return new UpstreamFault('unreachable', message, { wasSent: false, retryAfterMs, isOfCaller: true });
}

/** The fault of a call whose server refuses even the token that it was given just now. */
export function refusedWhenNew({ row }: SealedCredentials, retryAfterMs: number): UpstreamFault {
  const message = `"${row.title}" does not accept its newest token yet. Try again in ${Math.ceil(retryAfterMs / 1000)} s; if that does not help, use POST /api/connections/${row.id}/authorize.`;
  return new UpstreamFault('unreachable', message, { wasSent: false, retryAfterMs, isOfCaller: true });
}
