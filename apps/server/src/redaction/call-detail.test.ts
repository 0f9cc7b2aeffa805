/** What a record keeps of a call: nothing secret, short, and always JSON. */
import type { CallBody, CallRecord } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import { detailsWith } from './call-detail.ts';
import { keptJson } from './kept-json.ts';
import { redactPersonal } from './personal.ts';

const MARKED = {
  without: (text: string, mask: string) => ({ text: text.replaceAll('a-marked-secret', mask) }),
};
const nothing = { fields: new Set<string>(), texts: [] };
// A busy machine is no fault of a value.
const keptOf = (value: unknown) => keptJson(value, nothing, Infinity);
const kept = (value: unknown) => JSON.parse(keptOf(value).text) as unknown;

describe('texts', () => {
  test.each([
    ['mail a@b.co now', 'mail [REDACTED:email] now'],
    [`${'x'.repeat(80)}@example.com`, `${'x'.repeat(16)}[REDACTED:email]`],
    ['apikey: 0123456789abcdef', '[REDACTED:api_key]'],
    ['x-api-key="0123456789abcdef" next', 'x-[REDACTED:api_key]" next'],
    ['password = hunter2hunter2hunter2', '[REDACTED:api_key]'],
    ['use sk-0123456789abcdefghij.', 'use [REDACTED:api_key].'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_DEF-1', '[REDACTED:jwt]'],
    ['card 4111 1111 1111 1111 12/27', 'card [REDACTED:credit_card] 12/27'],
    ['4111-1111-1111-1111', '[REDACTED:credit_card]'],
    ['my 078-05-1120.', 'my [REDACTED:ssn].'],
  ])('%s', (text, expected) => {
    expect(redactPersonal(text)).toBe(expected);
  });

  test.each([
    'order 4111 1111 1111 1112',
    'a token: short',
    'at 10:30, 2026-11-16',
    'call 555-12-34',
    'https://example.com/a?b=c',
    'parley_whoami',
    'person at example.com',
  ])('%s is left alone', (text) => {
    expect(redactPersonal(text)).toBe(text);
  });
});

describe('values', () => {
  test('what stands under a secret name is cut out whole, whatever its type and case', () => {
    const value = {
      password: 'a',
      PassWord: 7,
      client_secret: { deep: ['x'] },
      'x-api-key': null,
      nested: [{ refreshToken: 'r', note: 'stays' }],
      pin: 1234,
      spinning: true,
      total_tokens: 5,
    };
    const secret = '[REDACTED:secret]';
    expect(kept(value)).toEqual({
      password: secret,
      PassWord: secret,
      client_secret: secret,
      'x-api-key': secret,
      nested: [{ refreshToken: secret, note: 'stays' }],
      pin: secret,
      spinning: true,
      total_tokens: 5,
    });
  });

  test('lists of tokens are cut out, and what a filter compares a secret with', () => {
    const secret = '[REDACTED:secret]';
    const guess = { field: ['connection_token'], operator: 'eq', value: 'guess' };
    const other = { field: ['title'], operator: 'eq', value: 'stays' };
    expect(kept({ access_tokens: ['a'], tokens: 5, where: { conditions: [guess, other] } })).toEqual({
      access_tokens: secret,
      tokens: 5,
      where: { conditions: [{ ...guess, value: secret }, other] },
    });
  });

  test('a name that is an address is cut out too', () => {
    expect(kept({ 'a@b.co': 1 })).toEqual({ '[REDACTED:email]': 1 });
  });

  test('known secrets and the fields that a schema calls secret are cut out', () => {
    const secrets = { fields: new Set(['word']), texts: ['s3cr3t'] };
    const { text } = keptJson({ word: 'x', other: 'has s3cr3t inside', list: ['s3cr3t'] }, secrets);
    expect(JSON.parse(text)).toEqual({
      word: '[REDACTED:secret]',
      other: 'has [REDACTED:secret] inside',
      list: ['[REDACTED:secret]'],
    });
  });

  test('binary content is its type and size', () => {
    const value = {
      content: [{ type: 'image', mimeType: 'image/png', data: 'QUJD'.repeat(1000) }],
      blob: 'QUJD',
    };
    expect(kept(value)).toEqual({
      content: [{ type: 'image', mimeType: 'image/png', data: '[image/png, 3000 bytes]' }],
      blob: '[binary, 3 bytes]',
    });
  });

  test.each<[string, unknown]>([
    ['a long text', { text: 'word '.repeat(10_000) }],
    ['a text of quotes', { text: '"'.repeat(30_000) }],
    ['a text of emoji', { text: '\u{1F600}'.repeat(10_000) }],
    ['many items', Array.from({ length: 50_000 }, (_, index) => index)],
    ['many fields', Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`f${index}`, 'x']))],
    ['deep lists', JSON.parse('['.repeat(500) + ']'.repeat(500))],
    [
      'many texts that are long to look through',
      Array.from({ length: 2_000 }, () => `token=${'a@b:'.repeat(500)}`),
    ],
    ['long addresses', { text: 'a@b.co '.repeat(10_000) }],
  ])('%s is cut to 16 KiB, says so, and stays JSON', (_name, value) => {
    const { text } = keptOf(value);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    expect(text).toContain('[TRUNCATED]');
    expect(text).not.toContain('a@b.co');
  });

  test('a value is cut wherever the room ends, even between a name and its text', () => {
    for (let length = 15_900; length < 16_140; length += 1) {
      const { text } = keptOf({ password: 'x', first: 'x'.repeat(length), second: 'y'.repeat(40) });
      expect(JSON.parse(text)).toHaveProperty('first');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
    }
  });

  test('a secret at the place of the cut is not kept in half', () => {
    const key = 'apikey=0123456789abcdefghijklmnop';
    for (const before of [16_000, 16_100, 16_110, 262_100, 262_120, 262_140]) {
      const { text } = keptOf({ text: `${'x '.repeat(before / 2)}${key}` });
      expect([before, text.includes('0123456')]).toEqual([before, false]);
    }
    // Shorter once it is redacted, so that its torn end would come into the part that is kept.
    const shrinking = `${`${key}${'y'.repeat(5_000)} `.repeat(60)}${key}`;
    expect(keptOf({ text: shrinking }).text).not.toContain('0123');
  });

  test('a value that takes too long is given up', () => {
    const value = { password: 'x', text: 'a@b.co' };
    expect(() => keptJson(value, nothing, -1)).toThrow('took too long');
    expect(keptJson({ text: 'plain' }, nothing, -1).text).toBe('{"text":"plain"}');
  });
});

describe('a call', () => {
  const tool = {
    effect: 'read',
    definition: {
      name: 'sign_in',
      inputSchema: { type: 'object', properties: { phrase: { writeOnly: true } } },
    },
  } as unknown as CallBody['tool'];
  const call = (body: Partial<CallBody>, info: Partial<CallRecord['info']> = {}): CallRecord => ({
    caller: testCaller(),
    method: 'tools/call',
    name: 'sign_in',
    toolset: 'conn_1',
    outcome: 'ok',
    code: null,
    durationMs: 1,
    info: { id: '1', era: 'modern', client: null, ...info },
    body: { tool, args: {}, ...body },
  });
  const detailOf = (record: CallRecord) =>
    detailsWith(() => ({ texts: ['s3cr3t'], marked: MARKED }))(record)?.make();

  test('is kept with its input, its data, its trace and its labels', () => {
    const info = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      properties: '{"team":"web","mail":"a@b.co","n":7,"api-key":"short"}',
    };
    const answer = { content: [{ type: 'text' as const, text: '{"ok":1}' }], structuredContent: { ok: 1 } };
    const args = { phrase: 'x', text: 's3cr3t', _meta: { properties: { team: 'old', more: 'yes' } } };
    expect(detailOf(call({ args, answer }, info))).toEqual({
      input:
        '{"phrase":"[REDACTED:secret]","text":"[REDACTED:secret]","_meta":{"properties":{"team":"old","more":"yes"}}}',
      output: '{"ok":1}',
      message: null,
      bytesIn: expect.any(Number),
      bytesOut: 8,
      upstreamUs: null,
      traceId: '0af7651916cd43dd8448eb211c80319c',
      properties: '{"team":"web","more":"yes","mail":"[REDACTED:email]","api-key":"[REDACTED:secret]"}',
    });
  });

  test('is kept without what is only known by its mark', () => {
    const args = { data: { note: 'a-marked-secret, twice: a-marked-secret' } };
    const answer = { content: [], structuredContent: { said: 'a-marked-secret' } };
    expect(detailOf(call({ args, answer }))).toMatchObject({
      input: '{"data":{"note":"[REDACTED:secret], twice: [REDACTED:secret]"}}',
      output: '{"said":"[REDACTED:secret]"}',
    });
  });

  test('that failed is kept with its error, without secrets', () => {
    const answer = { isError: true, content: [{ type: 'text' as const, text: 'No s3cr3t for a@b.co.' }] };
    expect(detailOf(call({ answer }))).toMatchObject({
      message: 'No [REDACTED:secret] for [REDACTED:email].',
    });
    expect(detailOf(call({ message: 'Internal error' }))).toMatchObject({
      message: 'Internal error',
      output: null,
    });
  });

  test('whose answer cannot be read is kept without it, and says so', () => {
    const answer = {
      content: [],
      get structuredContent(): never {
        throw new Error('a@b.co');
      },
    };
    expect(detailOf(call({ answer }))).toMatchObject({
      input: '"[DROPPED:redaction failed]"',
      message: null,
    });
  });

  test('that was asked for input keeps no sealed state', () => {
    const answer = { resultType: 'input_required' as const, requestState: 'sealed', inputRequests: {} };
    expect(detailOf(call({ answer }))?.output).toBe('{"resultType":"input_required"}');
  });

  test('labels are bounded', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 'v']));
    const properties = JSON.stringify({ ...many, ['x'.repeat(65)]: 'v', long: 'v'.repeat(257) });
    const found = JSON.parse(detailOf(call({}, { properties }))?.properties ?? '{}') as object;
    expect(Object.keys(found)).toHaveLength(20);
    expect(detailOf(call({}, { properties: 'no json' }))?.properties).toBeNull();
  });

  test('that was denied is kept without its input', () => {
    const { body: _body, ...denied } = call({});
    expect(detailsWith(() => ({ texts: [] }))(denied)).toBeUndefined();
  });
});
