import { describe, expect, test } from 'vitest';
import { createRedactor } from './redaction.ts';
import { checkSettings } from './settings.ts';

const URL_FAULT = 'QUACKBACK_URL is not a valid URL:';

describe('settings', () => {
  test.each([
    [undefined, undefined, 'QUACKBACK_URL (or --url) is required'],
    ['', 'k', 'QUACKBACK_URL (or --url) is required'],
    ['https://a.example', undefined, 'QUACKBACK_API_KEY (or --api-key) is required'],
    ['nonsense', 'k', `${URL_FAULT} nonsense`],
    ['ftp://a.example/x?y=1', 'k', `${URL_FAULT} ftp://a.example/x`],
    ['https://joe:secret@a.example/x?token=1#y', 'k', `${URL_FAULT} https://a.example/x`],
    ['joe:secret@a.example', 'k', `${URL_FAULT} a.example`],
    ['https://joe:se/cr@et@a.example', 'k', `${URL_FAULT} https://a.example`],
    ['not\na url', 'k', `${URL_FAULT} not a url`],
    ['nonsense-with-hunter2', 'hunter2', `${URL_FAULT} nonsense-with-***`],
    ['https://a.example', '', 'QUACKBACK_API_KEY is not a valid key'],
    ['https://a.example', 'two words', 'QUACKBACK_API_KEY is not a valid key'],
    ['https://a.example', 'line\n', 'QUACKBACK_API_KEY is not a valid key'],
    ['https://a.example', 'schlüssel', 'QUACKBACK_API_KEY is not a valid key'],
  ])('%j with the key %j', (url, apiKey, fault) => {
    expect(checkSettings({ url, apiKey })).toEqual({ fault });
  });

  test.each([
    ['https://a.example', false],
    ['http://localhost:3000', false],
    ['http://127.0.0.1', false],
    ['http://[::1]:80/', false],
    ['http://a.example', true],
    ['http://127.0.0.1.a.example', true],
    ['http://10.0.0.1', true],
  ])('%s is warned about: %s', (url, isWarned) => {
    const checked = checkSettings({ url, apiKey: 'k' });
    expect(checked).toMatchObject({ target: { key: 'k' } });
    expect('warning' in checked && checked.warning !== undefined).toBe(isWarned);
  });
});

describe('the redactor', () => {
  test('knows the secret as it is and inside a text of JSON', () => {
    const { text, value } = createRedactor('a"b');
    expect(text('see a"b')).toBe('see ***');
    expect(text(JSON.stringify({ key: 'a"b' }))).toBe('{"key":"***"}');
    expect(value({ list: ['x', { deep: 'a"b' }], n: 1, no: null })).toEqual({
      list: ['x', { deep: '***' }],
      n: 1,
      no: null,
    });
  });
});
