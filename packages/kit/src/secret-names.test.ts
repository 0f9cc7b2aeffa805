/** Names that say that their value is a secret, and names that only look like it. */
import { expect, test } from 'vitest';
import { isSecretName, isSecretSetting } from './secret-names.ts';

test.each([
  'password',
  'PassWord',
  'client_secret',
  'X-API-Key',
  'access tokens',
  'refreshToken',
  'pin',
  'CVV',
])('%s is the name of a secret', (name) => {
  expect(isSecretName(name, 'text')).toBe(true);
  expect(isSecretSetting(name, 'text')).toBe(true);
});

test.each(['key', 'sig', 'Auth', 'code'])('%s is one in settings and addresses alone', (name) => {
  expect([isSecretName(name), isSecretSetting(name)]).toEqual([false, true]);
});

test.each(['name', 'spinning', 'keyboard', 'author', 'codes', ''])('%s is none', (name) => {
  expect([isSecretName(name), isSecretSetting(name)]).toEqual([false, false]);
});

test('a number of tokens is none, and a number that is a token is one', () => {
  expect(isSecretName('max_tokens', 5)).toBe(false);
  expect(isSecretName('tokenCount', 5)).toBe(false);
  expect(isSecretName('max_tokens', 'five')).toBe(true);
  expect(isSecretName('token', 5)).toBe(true);
  expect(isSecretName('pin', 5)).toBe(true);
});
