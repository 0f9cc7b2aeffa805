/** Owns the promise that an owner's entry covers exactly what it names. */
import { describe, expect, test } from 'vitest';
import { isListed, parseAllowList } from './allow-list.ts';

const lists = (entry: string, url: string): boolean => isListed(parseAllowList([entry]), new URL(url));

describe('the allow list', () => {
  test.each([
    ['app.test', 'http://app.test:9000/'],
    ['app.test:80', 'http://app.test/'],
    ['app.test:443', 'https://app.test/'],
    ['APP.test.:8080', 'http://app.test:8080/'],
    ['127.1:8080', 'http://127.0.0.1:8080/'],
    ['::1', 'http://[0:0:0:0:0:0:0:1]:7/'],
    ['[::1]:8080', 'http://[::1]:8080/'],
    ['bücher.test', 'https://xn--bcher-kva.test/'],
  ])('%s covers %s', (entry, url) => {
    expect(lists(entry, url)).toBe(true);
  });

  test.each([
    ['app.test:8080', 'http://app.test:8081/'],
    ['app.test:80', 'https://app.test/'],
    ['app.test', 'http://sub.app.test/'],
    ['app.test', 'http://app.test.evil.test/'],
    ['127.0.0.1', 'http://127.0.0.2/'],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]/'],
  ])('%s does not cover %s', (entry, url) => {
    expect(lists(entry, url)).toBe(false);
  });

  test.each([
    '',
    '*',
    '*.app.test',
    'http://app.test',
    'app.test/path',
    'user@app.test',
    'app.test:0',
    'app.test:99999',
    'app.test:80:90',
    'a..b',
    '10.0.0.0/33',
    '10.0.0.0/',
    '0.0.0.0/0',
    '::/0',
    'fd00::/129',
    'app.test/8',
    '10.0.0.0/8:80',
    '10.0.0.0/8/8',
    '[::1',
  ])('the entry "%s" is refused', (entry) => {
    expect(() => parseAllowList([entry])).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});
