/** From a request to a caller of the team: by the key in its Authorization header, or by the cookie of the console. */
import type { IncomingMessage } from 'node:http';
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import type { RequestRate } from '../rate/request-rate.ts';
import { HttpRefusal } from '../refusal.ts';
import { consoleToken } from '../session/cookies.ts';
import type { SignedIn } from '../session/signed-in.ts';
import { signedIn } from '../session/signed-in.ts';

const BEARER = /^Bearer +([A-Za-z0-9_-]+) *$/i;

/** Who was let in; with a session when they came with a browser. */
export interface Entrant {
  readonly caller: Caller;
  readonly session: SignedIn | undefined;
}

/** What letting in stands on. */
export interface EntryParts {
  readonly identity: Identity;
  readonly rate: RequestRate;
  readonly publicUrl: string | undefined;
}

/** The text of the key, when the header has one. */
export function keyTextOf({ headers }: IncomingMessage): string | undefined {
  return BEARER.exec(headers.authorization ?? '')?.[1];
}

/** Who came with a browser; a key in the header wins. */
export async function browserEntrant(
  req: IncomingMessage,
  parts: Pick<EntryParts, 'identity' | 'publicUrl'>,
): Promise<Entrant | undefined> {
  if (req.headers.authorization !== undefined || req.headers.cookie === undefined) return undefined;
  const session = await signedIn(req, parts);
  return session && { caller: session.caller, session };
}

/** The caller behind a key; unknown, expired and revoked keys are refused in the same words. */
export async function keyEntrant(req: IncomingMessage, { identity, rate }: EntryParts): Promise<Entrant> {
  const keyText = keyTextOf(req);
  const caller = keyText === undefined ? undefined : await identity.authenticate(keyText, 'key');
  if (caller !== undefined) return { caller, session: undefined };
  // A request without a credential guesses nothing.
  if (req.headers.authorization !== undefined) await rate.countFailure(req);
  if (keyText !== undefined && (await identity.keyState(keyText)) === 'memberless')
    throw new HttpRefusal('FORBIDDEN', 'The owner of this key is no longer a member of the organization.');
  const wasSignedIn =
    req.headers.authorization === undefined && (await consoleToken(req, undefined)) !== undefined;
  const text = wasSignedIn
    ? 'You are not signed in any more. Sign in again.'
    : 'Send a valid API key as "Authorization: Bearer <key>".';
  throw new HttpRefusal('UNAUTHORIZED', text, { headers: { 'www-authenticate': 'Bearer realm="parley"' } });
}
