import { describe, expect, test } from 'vitest';
import { createRedactor } from './redaction.ts';
import { checkSettings } from './settings.ts';

const URL_FAULT = 'QUACKBACK_URL is not a valid URL:';
const CREDENTIALS =
  'QUACKBACK_URL must not hold a user name or password: leave them out and give the key in QUACKBACK_API_KEY. Without them it is';
const KEY_FAULT = 'QUACKBACK_API_KEY is not a valid key:';
const ODD = 'it holds blanks, line breaks or letters that a header cannot carry';

describe('settings', () => {
  test.each([
    [undefined, undefined, 'QUACKBACK_URL (or --url) is required'],
    ['', 'k', 'QUACKBACK_URL (or --url) is required'],
    ['https://a.example', undefined, 'QUACKBACK_API_KEY (or --api-key) is required'],
    ['nonsense', 'k', `${URL_FAULT} nonsense`],
    ['ftp://a.example/x?y=1', 'k', `${URL_FAULT} ftp://a.example/x`],
    ['https://joe:secret@a.example/x?token=1#y', 'k', `${CREDENTIALS} https://a.example/x`],
    ['https://joe@a.example', 'k', `${CREDENTIALS} https://a.example`],
    ['https://:secret@a.example', 'k', `${CREDENTIALS} https://a.example`],
    ['ftp://joe:secret@a.example', 'k', `${URL_FAULT} ftp://a.example`],
    ['joe:secret@a.example', 'k', `${URL_FAULT} a.example`],
    ['https://joe:se/cr@et@a.example', 'k', `${URL_FAULT} https://a.example`],
    ['not\na url', 'k', `${URL_FAULT} not a url`],
    ['nonsense-with-hunter2', 'hunter2', `${URL_FAULT} nonsense-with-***`],
    ['https://a.example', '', `${KEY_FAULT} it is empty`],
    ['https://a.example', ' \r\n', `${KEY_FAULT} it is empty`],
    ['https://a.example', 'two words', `${KEY_FAULT} ${ODD}`],
    ['https://a.example', 'two\nlines', `${KEY_FAULT} ${ODD}`],
    ['https://a.example', 'schlüssel', `${KEY_FAULT} ${ODD}`],
    ['nonsense-with-hunter2', 'hunter2\n', `${URL_FAULT} nonsense-with-***`],
  ])('%j with the key %j', (url, apiKey, fault) => {
    expect(checkSettings({ url, apiKey })).toEqual({ fault });
  });

  test.each(['k\n', 'k\r\n', ' k ', '\tk', 'k\n\n'])(
    'the key %j is the key without what is around it',
    (apiKey) => {
      expect(checkSettings({ url: 'https://a.example', apiKey })).toMatchObject({ target: { key: 'k' } });
    },
  );

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
