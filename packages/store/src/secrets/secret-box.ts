/** The secret box: seals values so that only this row of this organization can open them again. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SecretOpenError } from '../errors.ts';
import { deriveKey } from './secret-key.ts';
import type { KeyRing } from './secret-key.ts';

/** The row that a sealed value belongs to. */
export interface SecretContext {
  readonly organizationId: string;
  readonly rowId: string;
}

/** Seals and opens secrets, and derives keys for other purposes. */
export interface SecretBox {
  /** The id of the newest key, under which everything is sealed. */
  readonly keyId: string;
  /** A token to store; a second call gives another one. */
  seal(plain: string, context: SecretContext): string;
  /** The plain value; throws `SecretOpenError` when the token was changed or moved. */
  open(token: string, context: SecretContext): string;
  /** The same value under the newest key; the token itself when it is there already. */
  reseal(token: string, context: SecretContext): string;
  /** 32 bytes for one purpose, from the newest key. */
  derive(purpose: string): Buffer;
  /** The same for every key of the ring, newest first, to check what was made before a rotation. */
  deriveAll(purpose: string): Buffer[];
}

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

// A JSON pair cannot be read two ways, whatever characters the ids hold.
const associatedData = ({ organizationId, rowId }: SecretContext): Buffer =>
  Buffer.from(JSON.stringify([organizationId, rowId]));

/** The box over a ring of keys. */
export function createSecretBox(ring: KeyRing): SecretBox {
  const [newest] = ring;
  const boxKeys = new Map<string, Buffer>();
  const boxKey = (id: string): Buffer => {
    const known = boxKeys.get(id);
    if (known) return known;
    const key = ring.find((candidate) => candidate.id === id);
    if (!key) throw new SecretOpenError();
    const derived = deriveKey(key.bytes, 'secret-box');
    boxKeys.set(id, derived);
    return derived;
  };

  const box: SecretBox = {
    keyId: newest.id,
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', boxKey(newest.id), nonce);
      cipher.setAAD(associatedData(context));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${VERSION}.${newest.id}.${sealed.toString('base64url')}`;
    },
    open(token, context) {
      const [tokenVersion, keyId, text, ...rest] = token.split('.');
      if (tokenVersion !== VERSION || !keyId || !text || rest.length > 0) throw new SecretOpenError();
      return decrypt(boxKey(keyId), Buffer.from(text, 'base64url'), context);
    },
    reseal(token, context) {
      const plain = box.open(token, context);
      return token.startsWith(`${VERSION}.${newest.id}.`) ? token : box.seal(plain, context);
    },
    derive: (purpose) => deriveKey(newest.bytes, purpose),
    deriveAll: (purpose) => ring.map((key) => deriveKey(key.bytes, purpose)),
  };
  return box;
}

function decrypt(key: Buffer, sealed: Buffer, context: SecretContext): string {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SecretOpenError();
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associatedData(context));
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
    return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw new SecretOpenError(error);
  }
}
