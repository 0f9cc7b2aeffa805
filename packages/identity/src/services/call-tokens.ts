/**
 * Call-back tokens: what Parley sends along with a call to another server, so that it can call back for the same
 * person. Signed, short-lived, bound to one connection, and never worth more than whoever made the call is now.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller, CallSource, Grants } from '@parley/kit';
import { intersectGrants } from '@parley/kit';
import type { SecretBox } from '@parley/store';

/** What a token says; nothing in it is a secret. */
export interface CallClaims {
  /** The audience: the connection that it was sent to, as which it acts. */
  readonly connection: string;
  readonly organization: string;
  readonly user: string | null;
  /** Who made the call: a key, or a member. */
  readonly caller: string;
  readonly source: CallSource;
  readonly unattended: boolean;
  readonly grants: Grants;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

const PREFIX = 'parley_call_';
const PURPOSE = 'call-back-token';
const LIFE_MS = 5 * 60_000;
const MAC_BYTES = 32;
// It goes into a header of a request, and so does what the other server sends back.
const LONGEST = 8192;

/** True for what may be such a token, whoever made it. */
export function isCallToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** A token for what both the connection was given and the caller has; undefined when it would not fit into a header. */
export function issueCallToken(
  box: Pick<SecretBox, 'derive'>,
  caller: Caller,
  { connectionId, grants, now }: { connectionId: string; grants: Grants; now: number },
): string | undefined {
  const claims: CallClaims = {
    connection: connectionId,
    organization: caller.organizationId,
    user: caller.userId,
    caller: caller.id,
    source: caller.source,
    unattended: caller.unattended,
    grants: intersectGrants(grants, caller.grants),
    expires: now + LIFE_MS,
  };
  const body = Buffer.from(JSON.stringify(claims));
  const text = PREFIX + Buffer.concat([macOf(box.derive(PURPOSE), body), body]).toString('base64url');
  return text.length > LONGEST ? undefined : text;
}

/** What a token says, when this server made it and its time is not over. */
export function readCallToken(
  box: Pick<SecretBox, 'deriveAll'>,
  text: string,
  now: number,
): CallClaims | undefined {
  if (!isCallToken(text) || text.length > LONGEST) return undefined;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  if (bytes.length <= MAC_BYTES) return undefined;
  const mac = bytes.subarray(0, MAC_BYTES);
  const body = bytes.subarray(MAC_BYTES);
  const isOurs = box.deriveAll(PURPOSE).some((key) => timingSafeEqual(macOf(key, body), mac));
  if (!isOurs) return undefined;
  // Signed by us, so it is what `issueCallToken` wrote.
  const claims = JSON.parse(body.toString('utf8')) as CallClaims;
  return claims.expires > now ? claims : undefined;
}

function macOf(key: Buffer, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
