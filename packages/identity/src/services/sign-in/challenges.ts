/** Challenges of passkeys: sealed for whoever asks, so that asking stores nothing, and taken once, in whichever process. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Store } from '@parley/store';
import { isUniqueViolation } from '@parley/store';
import type { IdentityTables } from '../../schema.ts';

const LIFE_MS = 5 * 60_000;
const PURPOSE = 'passkey challenges';
const SEALED = /^([\w-]{1,800})\.([\w-]{43})$/;

/** Whose challenge it is; without a user, of somebody who is yet to say who they are. */
interface Asked {
  readonly userId: string | null;
  readonly now: number;
}

interface Claims {
  readonly challenge: string;
  readonly userId: string | null;
  readonly expiresAt: number;
}

/** The text that a browser brings back with its answer. */
export function sealChallenge(store: Store, challenge: string, { userId, now }: Asked): string {
  const claims: Claims = { challenge, userId, expiresAt: now + LIFE_MS };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${sealOf(store, text)}`;
}

/** The challenge in a text of ours, once; undefined for any other, for somebody else's, and after five minutes. */
export async function takeChallenge(
  store: Store,
  sealed: string,
  { userId, now }: Asked,
): Promise<string | undefined> {
  const claims = claimsIn(store, sealed);
  if (claims === undefined || claims.userId !== userId || claims.expiresAt <= now) return undefined;
  const { challenge, expiresAt } = claims;
  const db = store.db<IdentityTables>();
  await db.deleteFrom('used_challenges').where('expires_at', '<=', now).execute();
  try {
    const id = hash('sha256', challenge, 'base64url');
    await db.insertInto('used_challenges').values({ id, expires_at: expiresAt }).execute();
    return challenge;
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

function claimsIn(store: Store, sealed: string): Claims | undefined {
  const [, text = '', seal = ''] = SEALED.exec(sealed) ?? [];
  const given = Buffer.from(seal);
  const wanted = Buffer.from(sealOf(store, text));
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Claims; // only we can seal it
}

function sealOf(store: Store, text: string): string {
  return createHmac('sha256', store.secrets.derive(PURPOSE)).update(text).digest('base64url');
}
