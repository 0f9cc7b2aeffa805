/** Passwords that are hashed at a small part of their cost, for a test file that holds against many of them. */
import crypto from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll } from 'vitest';

const SMALL = { N: 2, r: 8, p: 1 };

/** Hashes at a small cost until the file ends; returns the costs that were asked for, each once. */
export function quickPasswords(): ReadonlySet<string> {
  const asked = new Set<string>();
  const { scrypt } = crypto;
  const put = (to: typeof scrypt) => {
    crypto.scrypt = to;
    // Whoever has imported the name sees what it is now.
    syncBuiltinESMExports();
  };
  beforeAll(() =>
    put(((password, salt, length, { N, r, p }: ScryptOptions, done) => {
      asked.add(`N ${N}, r ${r}, p ${p}`);
      scrypt(password, salt, length, SMALL, done);
    }) as typeof scrypt),
  );
  afterAll(() => put(scrypt));
  return asked;
}
