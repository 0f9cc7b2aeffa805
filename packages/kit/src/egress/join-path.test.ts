/** Owns the promise that no outside value leads out of its base path. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinPath } from './join-path.ts';

const BASE = 'https://api.example.com/v1/';

describe('joinPath', () => {
  test.each([
    [['users', 7], '/v1/users/7'],
    [['a b', 'c?d#e'], '/v1/a%20b/c%3Fd%23e'],
    [['feature/x'], '/v1/feature%2Fx'],
    [['100%'], '/v1/100%25'],
    [['...', '.hidden', 'a..b', 'v1.2'], '/v1/.../.hidden/a..b/v1.2'],
    [['wörld'], '/v1/w%C3%B6rld'],
    [['@evil.test'], '/v1/%40evil.test'],
    [['https://evil.test'], '/v1/https%3A%2F%2Fevil.test'],
    [[], '/v1/'],
  ])('%j becomes %s', (segments, path) => {
    expect(joinPath(BASE, ...segments).href).toBe(`https://api.example.com${path}`);
  });

  test('the base keeps its path with and without a final slash, and loses its query', () => {
    expect(joinPath('https://a.test/v1?key=1#x', 'b').href).toBe('https://a.test/v1/b');
    expect(joinPath(new URL('https://a.test'), 'b').href).toBe('https://a.test/b');
  });

  test.each([
    '',
    '.',
    '..',
    '../admin',
    'a/../b',
    'a/..',
    './a',
    '..\\admin',
    'a\\b',
    '%2e%2e',
    '%2E%2e/',
    '.%2e',
    'a%2fb',
    '%2F',
    '%5c',
    '%252e%252e',
    '%25252e',
    '%252f',
    '%255c',
    '%00',
    '%0d%0a',
    '%c0%ae%c0%ae',
    '%u002e',
    '..;',
    '..;x=1/admin',
    ' .. ',
    '．．',
    '‥',
    'a／../b',
    'a\0b',
    'a\r\nb',
    'a\tb',
    '\ud800',
  ])('%j is refused', (segment) => {
    expect(() => joinPath(BASE, 'items', segment, 'x')).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test.each(['ftp://a.test/', 'https://user:secret@a.test/', 'nonsense'])(
    'the base %s is refused',
    (base) => {
      expect(() => joinPath(base, 'a')).toThrow(/address/);
    },
  );

  test('whatever the segments are, the result stays below the base', () => {
    const hostile = fc.array(
      fc.constantFrom('.', '/', '\\', '%', '2', '5', 'e', 'f', 'a', ';', '?', '#', '@', ':'),
    );
    const segment = fc.oneof(
      fc.string({ unit: 'binary' }),
      hostile.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        let url: URL;
        try {
          url = joinPath(BASE, ...segments);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid' });
          return;
        }
        expect(url.origin).toBe('https://api.example.com');
        expect(url.pathname.split('/').slice(2).map(decodeURIComponent)).toEqual(segments);
      }),
    );
  });
});
