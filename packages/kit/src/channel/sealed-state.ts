/** Seals the state of a multi round-trip request: encrypted, expiring, bound to who asked for what. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** What a state is bound to; a state that comes back with anything else is refused. */
export interface StateBinding {
  readonly callerId: string;
  readonly organizationId: string;
  readonly method: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** Seals and opens request states; every replica must hold the same keys. */
export interface StateSealer {
  seal(payload: unknown, binding: StateBinding): string;
  /** The payload, or undefined for anything modified, expired or foreign. */
  open(token: string, binding: StateBinding): unknown;
}

const TTL_MS = 10 * 60_000;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

/** Creates a sealer; the first key seals, all of them open, so keys can be rotated. */
export function createStateSealer(keys: readonly Buffer[], now: () => number = Date.now): StateSealer {
  const ring = keys.map((key) => ({ id: keyId(key), key }));
  const newest = ring[0];
  if (newest === undefined) throw new Error('A state sealer needs at least one key of 32 bytes.');
  return {
    seal(payload, binding) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(digestOf(binding));
      const text = JSON.stringify({ e: now() + TTL_MS, p: payload });
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([newest.id, nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(token, binding) {
      const bytes = Buffer.from(token, 'base64url');
      // Two encodings of the same bytes must not both be accepted.
      if (bytes.length <= KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== token)
        return undefined;
      const entry = ring.find(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)));
      if (entry === undefined) return undefined;
      try {
        // Authenticated, so it is what `seal` wrote.
        const opened = JSON.parse(decrypt(bytes, entry.key, binding)) as { e: number; p: unknown };
        return opened.e > now() ? opened.p : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function decrypt(bytes: Buffer, key: Buffer, binding: StateBinding): string {
  const nonceEnd = KEY_ID_BYTES + NONCE_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(KEY_ID_BYTES, nonceEnd))
    .setAAD(digestOf(binding))
    .setAuthTag(bytes.subarray(nonceEnd, nonceEnd + TAG_BYTES));
  return decipher.update(bytes.subarray(nonceEnd + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('parley-state-key').update(key).digest().subarray(0, KEY_ID_BYTES);
}

function digestOf(binding: StateBinding): Buffer {
  const { organizationId, callerId, method, name } = binding;
  return createHash('sha256')
    .update(JSON.stringify([organizationId, callerId, method, name, canonical(binding.arguments)]))
    .digest();
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, canonical(entry)]);
}
