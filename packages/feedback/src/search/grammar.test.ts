import { describe, expect, it } from 'vitest';
import { parseSearch } from './grammar.ts';
import { toFts5, toWebsearch } from './queries.ts';

const shown = (input: string) => toWebsearch(parseSearch(input));

describe('the search grammar', () => {
  it.each([
    ['dark mode', '"dark" "mode"'],
    ['"dark mode"', '"dark mode"'],
    ['"dark mode', '"dark mode"'],
    ['dark OR light', '"dark" or "light"'],
    ['dark or light', '"dark" "light"'],
    ['OR dark OR', '"dark"'],
    ['dark -light', '"dark" -"light"'],
    ['-"dark mode"', '-"dark mode"'],
    ['dark-mode', '"dark mode"'],
    ['the', ''],
    ['the dark', '"dark"'],
    ['"the end of the day"', '"end of the day"'],
    ['Café CRÈME', '"cafe" "creme"'],
    ['a:b & !c | d*', '"b" "c" "d"'],
    ['col:value', '"col value"'],
    ["'; drop table posts; --", '"drop" "table" "posts"'],
    ['()', ''],
    ['', ''],
  ])('reads %s', (input, expected) => {
    expect(shown(input)).toBe(expected);
  });

  it('cuts endless input', () => {
    expect(parseSearch('word '.repeat(10_000)).flat()).toHaveLength(50);
  });

  it('builds FTS5 expressions from words only', () => {
    expect(toFts5(parseSearch('dark "big mode" -light OR NEAR(x)'), 'S')).toBe(
      '((S AND ({title content} : "dark") AND ({title content} : "big mode")) NOT (({title content} : "light"))) OR ((S AND ({title content} : "near x")))',
    );
  });
});
