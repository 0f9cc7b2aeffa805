/** API keys as text: `parley_<id>_<secret>`; the id finds the row, the secret proves it. */
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** A key taken apart. */
export interface KeyParts {
  readonly publicId: string;
  readonly secret: string;
}

const PREFIX = 'parley_';
const PUBLIC_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^parley_([0-9A-Za-z]{12})_([0-9A-Za-z_-]{43})$/;

/** Makes a new key. */
export function newKey(): KeyParts & { readonly text: string } {
  let publicId = '';
  for (let index = 0; index < PUBLIC_ID_LENGTH; index += 1) publicId += ALPHABET[randomInt(ALPHABET.length)];
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { publicId, secret, text: `${PREFIX}${publicId}_${secret}` };
}

/** Takes a key apart; undefined when it does not look like one. */
export function parseKey(text: string): KeyParts | undefined {
  const match = KEY.exec(text);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { publicId: match[1], secret: match[2] };
}

/** What is stored of a secret. It has 256 bits of entropy, so a slow hash would add nothing. */
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
