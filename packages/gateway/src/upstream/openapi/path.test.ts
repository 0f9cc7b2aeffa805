/** What paths promise: whatever a value is, the request stays at the place that its document names. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestOf } from './request.ts';
import type { Plan } from './service.ts';
import { BadArguments } from './service.ts';

const input = (name: string) =>
  ({ name, property: name, place: 'path', style: 'simple', explode: false }) as const;

const planOf = (path: string, names: string[]): Plan => ({
  method: 'GET',
  base: 'https://api.test/base',
  path,
  inputs: names.map(input),
  body: null,
  token: null,
  hasOutput: false,
});

const none = { headers: {}, query: null };

/** The address of a request with these values; undefined when it is refused. */
function addressOf(plan: Plan, args: Record<string, unknown>): URL | undefined {
  try {
    return requestOf(plan, args, none).url;
  } catch (error) {
    expect(error).toBeInstanceOf(BadArguments);
    return undefined;
  }
}

const PIECES = [
  '.',
  '..',
  '/',
  '\\',
  '%2e',
  '%2F',
  '%5c',
  '%252e',
  '%00',
  ';',
  '?',
  '#',
  '@',
  ':',
  '//',
  'a',
  'é',
  '\ud800',
  ' ',
];
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join('')),
);

describe('a value in a path', () => {
  test.each(['/pets/{id}', '/pets/{id}/photo', '/pets/{id}.json', '/pets/{id}:cancel', '/pets/v{id}'])(
    'never leaves its part of %s',
    (path) => {
      const plan = planOf(path, ['id']);
      const parts = path.split('/').length;
      const [before = '', behind = ''] = path.split('{id}');
      fc.assert(
        fc.property(hostile, (id) => {
          const url = addressOf(plan, { id });
          if (url === undefined) return;
          expect(url.origin).toBe('https://api.test');
          expect(url.search + url.hash).toBe('');
          expect(url.pathname.startsWith(`/base${before}`)).toBe(true);
          expect(url.pathname.endsWith(behind)).toBe(true);
          expect(url.pathname.split('/')).toHaveLength(parts + 1);
          expect(
            decodeURIComponent(
              url.pathname.slice(`/base${before}`.length, url.pathname.length - behind.length),
            ),
          ).toBe(id);
        }),
      );
    },
  );

  test('of a list or an object is written part by part', () => {
    const plan = planOf('/x/{id}', ['id']);
    expect(addressOf(plan, { id: ['a/b', 'c,d'] })?.pathname).toBe('/base/x/a%2Fb,c%2Cd');
    expect(addressOf(plan, { id: { k: 'v/w' } })?.pathname).toBe('/base/x/k,v%2Fw');
    expect(addressOf(plan, { id: 7 })?.pathname).toBe('/base/x/7');
    expect(addressOf(plan, { id: ['a', '..'] })).toBeUndefined();
    expect(addressOf(plan, { id: [] })).toBeUndefined();
    expect(addressOf(plan, { id: {} })).toBeUndefined();
    expect(addressOf(plan, { id: null })).toBeUndefined();
    expect(addressOf(plan, {})).toBeUndefined();
  });

  test('beside another one makes no way out of two harmless ones', () => {
    const plan = planOf('/x/{a}{b}/y', ['a', 'b']);
    expect(addressOf(plan, { a: '.', b: '.' })).toBeUndefined();
    expect(addressOf(plan, { a: 'q', b: '.' })).toBeUndefined();
    expect(addressOf(planOf('/x/.{a}/y', ['a']), { a: 'w' })?.pathname).toBe('/base/x/.w/y');
    expect(addressOf(planOf('/x/.{a}/y', ['a']), { a: '.' })).toBeUndefined();
  });
});
