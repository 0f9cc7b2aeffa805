/** What no schema would see in an input: U+0000, half of a surrogate pair, and a name that maps pass over. */
import { expect, test } from 'vitest';
import { unkeepableIn } from './json-path.ts';

const NUL = 'must not contain the character U+0000';
const HALF = 'must not contain half of a surrogate pair';

test.each([
  [String.raw`"a\u0000"`, `input: ${NUL}`],
  [String.raw`"a\ud83d"`, `input: ${HALF}`],
  [String.raw`{"a":{"b":["x","\u0000"]}}`, `a.b.1: ${NUL}`],
  [String.raw`{"a":{"b":["x","\udc00\ud800"]}}`, `a.b.1: ${HALF}`],
  [String.raw`{"a":{"b\u0000":1}}`, `a: ${NUL}`],
  [String.raw`{"a":{"\ud83d":1}}`, `a: ${HALF}`],
  [String.raw`{"\udead":1}`, `input: ${HALF}`],
  [String.raw`{"a":{"__proto__":{"b":1}}}`, 'a.__proto__: is not a known field'],
  [String.raw`{"":[{"__proto__":1}]}`, '0.__proto__: is not a known field'],
  // Whole characters of any kind, and names that only look like it.
  [String.raw`{"a":["\ud83d\ude00","é","日本"],"constructor":{"prototype":"\\ud83d \\u0000"}}`, undefined],
  [String.raw`{"__proto__":1}`, undefined],
  ['{}', undefined],
  ['null', undefined],
])('%s', (json, words) => {
  expect(unkeepableIn(JSON.parse(json))).toBe(words);
});
