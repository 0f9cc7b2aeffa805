/** API keys as text: `parley_<id>_<secret>`, or `qb_<hex>`; the public id finds the row, the secret proves it. */
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** The two forms that a key may have. */
export type KeyFormat = 'parley' | 'qb';

/** A key taken apart. */
export interface KeyParts {
  readonly publicId: string;
  readonly secret: string;
}

/** A key that was just made. */
export interface FreshKey extends KeyParts {
  readonly text: string;
}

const PREFIX = 'parley_';
const PUBLIC_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^parley_([0-9A-Za-z]{12})_([0-9A-Za-z_-]{43})$/;

const HEX_PREFIX = 'qb_';
const HEX_BYTES = 24;
const HEX_KEY = /^qb_[0-9a-f]{48}$/;

/** Makes a new key of the usual form. */
export function newKey(): FreshKey {
  let publicId = '';
  for (let index = 0; index < PUBLIC_ID_LENGTH; index += 1) publicId += ALPHABET[randomInt(ALPHABET.length)];
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { publicId, secret, text: `${PREFIX}${publicId}_${secret}` };
}

/** Makes a new key of the form that feedback clients know. */
export function newHexKey(): FreshKey {
  const text = HEX_PREFIX + randomBytes(HEX_BYTES).toString('hex');
  return { ...hexParts(text), text };
}

/** Takes a key of either form apart; undefined when it does not look like one. */
export function parseKey(text: string): KeyParts | undefined {
  if (HEX_KEY.test(text)) return hexParts(text);
  const match = KEY.exec(text);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { publicId: match[1], secret: match[2] };
}

/** What was given as the id of a key, as it may be said back: people paste whole keys. */
export function withoutSecret(given: string): string {
  const [shown = given] = /^(?:parley_[0-9A-Za-z]{12}(?=_)|qb_[0-9a-f]{9}(?=[0-9a-f]))/.exec(given) ?? [];
  return shown;
}

// Such a key has no part of its own for display, so its beginning serves, and the whole text is the secret.
function hexParts(text: string): KeyParts {
  return { publicId: text.slice(0, PUBLIC_ID_LENGTH), secret: text };
}

/** What is stored of a secret. It has at least 192 bits of entropy, so a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

const NO_DIGEST = Buffer.alloc(32);

/** Compares in constant time; an unknown key is compared with a dummy so that it takes as long. */
export function isSecretOf(secret: string, storedHash: string | undefined): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex');
  const stored = storedHash === undefined ? NO_DIGEST : Buffer.from(storedHash, 'hex');
  return timingSafeEqual(given, stored) && storedHash !== undefined;
}
