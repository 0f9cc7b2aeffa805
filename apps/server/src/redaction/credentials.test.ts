/** What no sink may hold is cut out; the rest of a line stays as it was. */
import type { CallRecord } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import { redact, redactRecord } from './credentials.ts';

const KEY = `parley_${'A'.repeat(12)}_${'b-_'.repeat(14)}c`;

describe('text', () => {
  test.each([
    ['a key', `key ${KEY}!`, 'key [REDACTED:key]!'],
    ['two keys', `${KEY} ${KEY}`, '[REDACTED:key] [REDACTED:key]'],
    ['a key in hex', `key qb_${'0af'.repeat(16)}!`, 'key [REDACTED:key]!'],
    ['a session token', `parley_session_${'b-_'.repeat(14)}c`, '[REDACTED:token]'],
    ['the token of an invitation', `parley_invite_${'b-_'.repeat(14)}c`, '[REDACTED:token]'],
    ['the secret of a webhook', `whsec_${'aB+/'.repeat(8)}= next`, '[REDACTED:secret] next'],
    ['a password after dots', '...postgres://me:pass@db', '...postgres://[REDACTED]@db'],
    ['a bearer token', 'authorization: bearer abcdefgh.ijk=', 'authorization: Bearer [REDACTED]'],
    ['a password in a URL', 'postgres://me:pa%20ss@db:5432/x', 'postgres://[REDACTED]@db:5432/x'],
    ['a parameter of an address', 'GET /a?x=1&key=abc#d', 'GET /a?x=1&key=[REDACTED]#d'],
    [
      'a parameter in JSON',
      '{"url":"https://a?Api-Key=b\\"c"}',
      '{"url":"https://a?Api-Key=[REDACTED]\\"c"}',
    ],
    ['a secret field', '{"password":"a\\"b","a":1}', '{"password":"[REDACTED]","a":1}'],
    [
      'fields in any case',
      '{"Authorization": "x","Set-Cookie":"y"}',
      '{"Authorization": "[REDACTED]","Set-Cookie":"[REDACTED]"}',
    ],
  ])('%s is cut out', (_name, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test.each([
    'parley_whoami',
    'https://a.example/?page=2&sort=key',
    'a=b & key = c',
    'a bearer of news',
    'https://example.com:443/a@b',
    '{"name":"token"}',
    '',
  ])('%j is left alone', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('a record', () => {
  const record: CallRecord = {
    caller: testCaller(),
    method: 'tools/call',
    name: 'parley_whoami',
    toolset: 'parley',
    outcome: 'ok',
    code: null,
    durationMs: 1,
    info: { id: '1', era: 'modern', client: 'some-client' },
  };

  test('without secrets is handed on as it is', () => {
    expect(redactRecord(record)).toBe(record);
  });

  test('loses keys in the name of an unknown tool, in the request id and in the name of the client', () => {
    const planted = {
      ...record,
      outcome: 'denied' as const,
      name: KEY,
      info: { ...record.info, id: KEY, client: KEY, clientLabel: KEY },
    };
    const clean = redactRecord(planted);
    expect(JSON.stringify(clean)).not.toContain(KEY);
    expect(clean).toMatchObject({ name: '[REDACTED:key]', outcome: 'denied', info: { era: 'modern' } });
  });

  test.each(['12345678', '0198c1e2-7a4b-7c3d-9e1f-0a2b3c4d5e6f'])('with the id %s is handed on', (id) => {
    const plain = { ...record, info: { ...record.info, id } };
    expect(redactRecord(plain)).toBe(plain);
  });

  test('loses a password that is as short as it can be', () => {
    const planted = { ...record, info: { ...record.info, id: '://a:b@' } };
    expect(redactRecord(planted).info.id).toBe('://[REDACTED]@');
  });
});
