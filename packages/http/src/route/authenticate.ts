/** From the Authorization header to a caller of the team. Cookies do not count here. */
import type { IncomingMessage } from 'node:http';
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import type { RequestRate } from '../rate/request-rate.ts';
import { HttpRefusal } from '../refusal.ts';

const BEARER = /^Bearer +([A-Za-z0-9_-]+) *$/i;

/** The text of the key, when the header has one. */
export function keyTextOf({ headers }: IncomingMessage): string | undefined {
  return BEARER.exec(headers.authorization ?? '')?.[1];
}

/** The caller behind a request; unknown, expired and revoked keys are refused in the same words. */
export async function authenticate(
  req: IncomingMessage,
  identity: Identity,
  rate: RequestRate,
): Promise<Caller> {
  const keyText = keyTextOf(req);
  const caller = keyText === undefined ? undefined : await identity.authenticate(keyText, 'key');
  if (caller !== undefined) return caller;
  // A request without a credential guesses nothing.
  if (req.headers.authorization !== undefined) await rate.countFailure(req);
  if (keyText !== undefined && (await identity.keyState(keyText)) === 'memberless')
    throw new HttpRefusal('FORBIDDEN', 'The owner of this key is no longer a member of the organization.');
  throw new HttpRefusal('UNAUTHORIZED', 'Send a valid API key as "Authorization: Bearer <key>".', {
    headers: { 'www-authenticate': 'Bearer realm="parley"' },
  });
}
