/** What the secret box promises: only the right row under a known key opens a token. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProgram } from '../../test/child-program.ts';
import { SecretKeyError, SecretOpenError } from '../errors.ts';
import { createSecretBox } from './secret-box.ts';
import { loadKeyRing } from './secret-key.ts';

const row = { organizationId: 'org_a', rowId: 'connection_1' };
const newKey = (): string => randomBytes(32).toString('base64url');
const boxWith = (...keys: string[]) => createSecretBox(loadKeyRing('/nowhere', keys.join('\n')));

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('what was sealed opens again, and the token shows nothing of it', () => {
  const box = boxWith(newKey());
  for (const plain of ['', 'hunter2', 'ключ 🔑', 'x'.repeat(10_000)]) {
    const token = box.seal(plain, row);
    expect(box.open(token, row)).toBe(plain);
    if (plain) expect(token).not.toContain(plain);
  }
});

test('the same value gives another token each time', () => {
  const box = boxWith(newKey());
  expect(new Set(Array.from({ length: 100 }, () => box.seal('same', row))).size).toBe(100);
});

test('a token that was moved to another row or organization does not open', () => {
  const box = boxWith(newKey());
  const token = box.seal('hunter2', row);
  for (const context of [
    { ...row, rowId: 'connection_2' },
    { ...row, organizationId: 'org_b' },
    { organizationId: 'org_a","connection_1', rowId: '' },
    { organizationId: 'connection_1', rowId: 'org_a' },
  ]) {
    expect(() => box.open(token, context)).toThrow(SecretOpenError);
  }
});

test('a token with any character changed does not open, and the error tells nothing', () => {
  const box = boxWith(newKey());
  const token = box.seal('hunter2', row);
  const fixedText = new SecretOpenError().message;
  for (let index = 0; index < token.length - 1; index += 1) {
    const other = token[index] === 'A' ? 'B' : 'A';
    const changed = token.slice(0, index) + other + token.slice(index + 1);
    expect(() => box.open(changed, row)).toThrow(fixedText);
  }
  for (const broken of ['', 'v1', 'v1..', `v1.${box.keyId}.AAAA`, `${token}.x`, token.slice(0, -4)]) {
    expect(() => box.open(broken, row)).toThrow(fixedText);
  }
});

test('another key does not open it', () => {
  const token = boxWith(newKey()).seal('hunter2', row);
  expect(() => boxWith(newKey()).open(token, row)).toThrow(SecretOpenError);
});

test('after a rotation old tokens open, and are sealed anew under the newest key', () => {
  const [oldKey, freshKey] = [newKey(), newKey()];
  const token = boxWith(oldKey).seal('hunter2', row);
  const box = boxWith(freshKey, oldKey);
  expect(box.open(token, row)).toBe('hunter2');
  const resealed = box.reseal(token, row);
  expect(resealed.split('.')[1]).toBe(box.keyId);
  expect(boxWith(freshKey).open(resealed, row)).toBe('hunter2');
  expect(box.reseal(resealed, row)).toBe(resealed);
});

test('derived keys differ by purpose and by key, and stay the same over time', () => {
  const [oldKey, freshKey] = [newKey(), newKey()];
  const box = boxWith(freshKey, oldKey);
  expect(box.derive('request-state')).toHaveLength(32);
  expect(box.derive('request-state')).toEqual(boxWith(freshKey).derive('request-state'));
  expect(box.derive('request-state')).not.toEqual(box.derive('csrf'));
  expect(box.deriveAll('csrf')).toEqual([boxWith(freshKey).derive('csrf'), boxWith(oldKey).derive('csrf')]);
});

test('the key file is made once, for its owner only, and used again', () => {
  const token = createSecretBox(loadKeyRing(dataDir)).seal('hunter2', row);
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(['secret.key']);
  expect(createSecretBox(loadKeyRing(dataDir)).open(token, row)).toBe('hunter2');
});

test('a key that is given wins over the key file', () => {
  const key = newKey();
  loadKeyRing(dataDir);
  expect(loadKeyRing(dataDir, key)[0].bytes.toString('base64url')).toBe(key);
});

test('an unusable key is refused with a sentence that does not show it', () => {
  for (const bad of ['', ' \n', 'short', newKey().slice(1), `${newKey()}\nshort`, `!${newKey()}`]) {
    expect(() => loadKeyRing(dataDir, bad)).toThrow(SecretKeyError);
  }
  expect(() => loadKeyRing(dataDir, 'c2hvcnQ')).toThrow(/^((?!c2hvcnQ).)*$/s);
  writeFileSync(join(dataDir, 'secret.key'), 'broken');
  expect(() => loadKeyRing(dataDir)).toThrow(/key file secret\.key.*Restore the key/);
});

test('processes that start at once agree on one key', async () => {
  const program = join(import.meta.dirname, '../../test/key-program.ts');
  const programs = Array.from({ length: 4 }, () => startProgram(program, { dataDir }));
  const ids: string[] = [];
  for (const { lines } of programs) for await (const line of lines) ids.push(line);
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(1);
  expect(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()).toHaveLength(43);
});
