/** What a key looks like, and what is not one. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashSecret, isSecretOf, newHexKey, newKey, parseKey, withoutSecret } from './key-format.ts';

test('a key has the fixed prefix, a public id of 12 characters and 32 random bytes', () => {
  const { text, publicId, secret } = newKey();
  expect(text).toBe(`parley_${publicId}_${secret}`);
  expect(publicId).toMatch(/^[0-9A-Za-z]{12}$/);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
});

test('the other form is qb_ and 24 random bytes in hex, found by its first 12 characters, secret as a whole', () => {
  const { text, publicId, secret } = newHexKey();
  expect(text).toMatch(/^qb_[0-9a-f]{48}$/);
  expect(publicId).toBe(text.slice(0, 12));
  expect(secret).toBe(text);
  expect(parseKey(text)).toEqual({ publicId, secret });
  expect(new Set(Array.from({ length: 500 }, () => newHexKey().text)).size).toBe(500);
});

test('no two keys share an id or a secret', () => {
  const keys = Array.from({ length: 500 }, newKey);
  expect(new Set(keys.map(({ publicId }) => publicId)).size).toBe(500);
  expect(new Set(keys.map(({ secret }) => secret)).size).toBe(500);
});

test('every key is taken apart into what it was made from', () => {
  for (const { text, publicId, secret } of Array.from({ length: 200 }, newKey)) {
    expect(parseKey(text)).toEqual({ publicId, secret });
  }
});

test.each([
  ['nothing', ''],
  ['only the prefix', 'parley_'],
  ['another prefix', newKey().text.replace('parley_', 'parlay_')],
  ['a shorter id', newKey().text.replace(/_./, '_')],
  ['a character more', `${newKey().text}A`],
  ['a line break at the end', `${newKey().text}\n`],
  ['a space in front', ` ${newKey().text}`],
  ['standard base64', `parley_${'a'.repeat(12)}_${'+'.repeat(43)}`],
  ['hex in capitals', `qb_${'A'.repeat(48)}`],
  ['a hex digit less', newHexKey().text.slice(0, -1)],
  ['a hex digit more', `${newHexKey().text}0`],
  ['a line break after the hex', `${newHexKey().text}\n`],
  ['another letter than hex', `qb_${'g'.repeat(48)}`],
])('%s is no key', (_name, text) => {
  expect(parseKey(text)).toBeUndefined();
});

test('any other text is no key and does no harm', () => {
  fc.assert(fc.property(fc.string(), (text) => parseKey(text) === undefined));
});

test('only the secret itself fits its hash, and nothing fits an absent one', () => {
  const [own, other] = [newKey().secret, newKey().secret];
  expect(isSecretOf(own, hashSecret(own))).toBe(true);
  expect(isSecretOf(other, hashSecret(own))).toBe(false);
  expect(isSecretOf('', hashSecret(own))).toBe(false);
  expect(isSecretOf(own, undefined)).toBe(false);
  expect(hashSecret(own)).not.toContain(own);
});

test('a key that is given as an id is said back without its secret, whole or torn', () => {
  const [key, hex] = [newKey(), newHexKey()];
  for (const text of [key.text, `${key.text}x`, key.text.slice(0, -5)])
    expect(withoutSecret(text)).toBe(`parley_${key.publicId}`);
  for (const text of [hex.text, hex.text.slice(0, -5)]) expect(withoutSecret(text)).toBe(hex.publicId);
  for (const id of ['key_01m7h8', key.publicId, hex.publicId, `parley_${key.publicId}`, 'parley_x'])
    expect(withoutSecret(id)).toBe(id);
});
