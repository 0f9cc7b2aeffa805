/** The key ring: where the secret keys come from, and the key file that is made on first use. */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SecretKeyError } from '../errors.ts';

const KEY_BYTES = 32;
/** Where the keys are, in the data folder. */
export const KEY_FILE = 'secret.key';

/** One secret key, known by an id that tells nothing about it. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** At least one key, the newest first. */
export type KeyRing = [SecretKey, ...SecretKey[]];

/** Reads the ring from the option, else from the key file in the data folder, which is made when absent. */
export function loadKeyRing(dataDir: string, secretKey?: string): KeyRing {
  if (secretKey !== undefined) return parseKeyRing(secretKey, 'The secret key that was given');
  const path = join(dataDir, KEY_FILE);
  return parseKeyRing(readKeyFile(path) ?? createKeyFile(path), 'The key file secret.key in the data folder');
}

/** 32 bytes for one purpose, which do not reveal the key or the bytes of another purpose. */
export function deriveKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `parley:${purpose}`, KEY_BYTES));
}

function parseKeyRing(text: string, subject: string): KeyRing {
  const [newest, ...older] = text
    .split(/\s+/)
    .filter(Boolean)
    .map((line) => parseKey(line, subject));
  if (!newest) {
    throw new SecretKeyError(
      `${subject} is empty. Put 32 random bytes in base64url there, one key per line, newest first.`,
    );
  }
  return [newest, ...older];
}

function parseKey(line: string, subject: string): SecretKey {
  const bytes = Buffer.from(line, 'base64url');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64url') !== line.replace(/(?<!=)=+$/, '')) {
    throw new SecretKeyError(
      `${subject} is not 32 bytes in base64url. Restore the key, or give one of that form.`,
    );
  }
  return {
    id: createHash('sha256').update('parley:key-id:').update(bytes).digest('base64url').slice(0, 8),
    bytes,
  };
}

function readKeyFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new SecretKeyError(
      'The key file secret.key in the data folder cannot be read. Check its owner and its mode.',
      {
        cause: error,
      },
    );
  }
}

// A complete file is linked into place, so a second process sees the whole key or none.
function createKeyFile(path: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8');
}
