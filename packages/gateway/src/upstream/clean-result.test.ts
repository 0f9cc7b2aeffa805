/** What is cut out of what upstreams say, in values and in the names of fields. */
import { TailFinder } from '@parley/connections';
import { seededRandom } from '@parley/test-support/random';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cleaned } from './clean-result.ts';

const SECRET = 's3cr3t-t0ken';
const OTHER = 'another-s3cr3t';
const HIDDEN = 'a\u200bb';

test.each<[string, unknown, unknown, number]>([
  ['a value', { a: `is ${SECRET}` }, { a: 'is [secret]' }, 1],
  ['a field', { [SECRET]: 1 }, { '[secret]': 1 }, 1],
  ['a field deep within', { a: [{ b: { [`x${SECRET}y`]: 1 } }] }, { a: [{ b: { 'x[secret]y': 1 } }] }, 1],
  ['a hidden character in a field', { [HIDDEN]: 1 }, { 'a[U+200B]b': 1 }, 0],
  [
    'fields that become equal',
    { [SECRET]: 1, '[secret]': 2, '[secret]_2': 3 },
    { '[secret]_3': 1, '[secret]': 2, '[secret]_2': 3 },
    1,
  ],
  [
    'two secrets as fields',
    { [SECRET]: 1, [OTHER]: 2, [`${OTHER}_2`]: 3 },
    { '[secret]': 1, '[secret]_2': 2, '[secret]_2_2': 3 },
    3,
  ],
  [
    'what only this server says of a result',
    {
      content: [
        { type: 'text', text: 'x', _meta: { 'parley/connection': { id: 'self' }, 'a.example/b': 1 } },
      ],
      isError: true,
      _meta: { 'dev.parley/code': 'auth_required', 'dev.parley/data': { url: 'https://a.example' }, own: 1 },
    },
    {
      content: [{ type: 'text', text: 'x', _meta: { 'a.example/b': 1 } }],
      isError: true,
      _meta: { own: 1 },
    },
    0,
  ],
  [
    'what only this server says of a document, a prompt or a question',
    {
      contents: [{ uri: 'a://b', text: '', _meta: { 'PARLEY/result': {} } }],
      inputRequests: { a: { params: { _meta: { 'parley/override': {} } } } },
    },
    {
      contents: [{ uri: 'a://b', text: '', _meta: {} }],
      inputRequests: { a: { params: { _meta: {} } } },
    },
    0,
  ],
  [
    'a result with fields everywhere',
    { content: [], structuredContent: { [SECRET]: {} }, _meta: { [`com.example/${SECRET}`]: 1 } },
    { content: [], structuredContent: { '[secret]': {} }, _meta: { 'com.example/[secret]': 1 } },
    2,
  ],
])('%s is cleaned', (_name, given, expected, count) => {
  const counts: number[] = [];
  const clean = cleaned(given, [SECRET, OTHER], (each) => counts.push(each));
  expect(clean).toEqual(expected);
  expect(counts).toEqual(count === 0 ? [] : [count]);
});

test('what is clean is not copied, and a field called __proto__ stays one', () => {
  const fine = { a: [{ b: 'c' }], _meta: {} };
  expect(cleaned(fine, [SECRET])).toBe(fine);
  const odd = cleaned(JSON.parse(`{"__proto__":{"a":"${SECRET}"}}`) as object, [SECRET]);
  expect(JSON.stringify(odd)).toBe('{"__proto__":{"a":"[secret]"}}');
  expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
});

test('of many fields that become equal none is lost', () => {
  const keyOf = (at: number) =>
    Array.from({ length: 13 }, (_, bit) => (((at >> bit) & 1) === 0 ? SECRET : OTHER)).join('');
  const given = Object.fromEntries(Array.from({ length: 8192 }, (_, at) => [keyOf(at), at]));
  const clean = cleaned(given, [SECRET, OTHER]);
  expect(Object.values(clean).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 8192 }, (_, at) => at));
  expect(JSON.stringify(clean)).not.toContain('s3cr3t');
});

test.each([
  ['bits in joiners', 'a\u200C\u200D\u200Cb', 'a[U+200C][U+200D][U+200C]b'],
  ['a second selector', '\u2764\uFE0F\uFE01', '\u2764\uFE0F[U+FE01]'],
  ['a joiner of graphemes', 'a\u034Fb', 'a[U+034F]b'],
  ['a vowel without a shape', 'a\u17B4b', 'a[U+17B4]b'],
  ['a Mongolian selector elsewhere', 'a\u180Bb', 'a[U+180B]b'],
  ['tags that are not assigned', 'a\u{E0FFF}', 'a[U+E0FFF]'],
])('%s is made visible', (_name, given, expected) => {
  expect(cleaned({ text: given }, [])).toEqual({ text: expected });
});

test.each([
  ['a family and a rainbow flag', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u{1F3F3}\uFE0F\u200D\u{1F308}'],
  ['a heart', '\u2764\uFE0F'],
  ['Persian with a joiner, also before a space', '\u0645\u06CC\u200C\u0631\u0648\u0645 \u0645\u06CC\u200C '],
  ['Mongolian with a selector', '\u1820\u180B'],
  ['colours of a terminal, and line ends', '\u001B[31mred\u001B[0m\r\n\f\u2028'],
])('%s stays as it is', (_name, given) => {
  const fine = { text: given };
  expect(cleaned(fine, [])).toBe(fine);
});

test('a text is gone through as often for hundreds of secrets as for a few', () => {
  const finds = vi.spyOn(TailFinder.prototype, 'find');
  const looks = vi.spyOn(String.prototype, 'includes');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const text = 'nothing of anybody '.repeat(10_000);
  const passesWith = (count: number) => {
    const secrets = Array.from({ length: count }, (_each, number) => `${SECRET}-${number}`);
    finds.mockClear();
    looks.mockClear();
    expect(cleaned({ a: { b: text } }, secrets)).toEqual({ a: { b: text } });
    const all = [
      ...finds.mock.calls.filter(([searched]) => searched === text),
      ...looks.mock.contexts.filter((searched) => String(searched) === text),
    ];
    return all.length;
  };
  expect([10, 50, 200].map(passesWith)).toEqual([1, 1, 1]);
  expect(passesWith(8)).toBeLessThanOrEqual(8);
});

test('a text made of ends of secrets is looked at so often, and then counts as one of them', () => {
  const secrets = Array.from({ length: 200 }, (_each, number) => `${'x'.repeat(number)}y-the-end-of-it`);
  const compared = vi.spyOn(String.prototype, 'startsWith');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const left = cleaned({ a: 'z-the-end-of-it'.repeat(20_000) }, secrets);
  expect(compared.mock.calls.length).toBeLessThanOrEqual(10_000);
  expect(left.a).toContain('[secret]');
});

test('finds what a plain search finds, short and long, of a few and of many', () => {
  const random = seededRandom();
  const letters = 'abé😀-';
  const word = (length: number) =>
    Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('');
  for (let round = 0; round < 200; round += 1) {
    const secrets = Array.from({ length: 1 + (round % 16) }, () => word(6 + Math.floor(random() * 12)));
    const parts = secrets.flatMap((secret) => [word(Math.floor(random() * 9)), secret]);
    const counts: number[] = [];
    const text = cleaned({ text: parts.join('') }, secrets, (count) => counts.push(count)).text;
    expect(counts[0]).toBeGreaterThan(0);
    for (const secret of secrets) expect(text).not.toContain(secret);
    const clean = 'qrst'.repeat(round * 30);
    expect(cleaned({ clean }, secrets)).toEqual({ clean });
  }
});

test('of secrets that overlap nothing is left', () => {
  const others = Array.from({ length: 9 }, (_each, number) => `x-one-more-${number}`);
  for (const more of [[], others])
    expect(cleaned({ a: '(first-and-second)', b: '' }, ['first-and', 'and-second', ...more])).toEqual({
      a: '([secret])',
      b: '',
    });
});
