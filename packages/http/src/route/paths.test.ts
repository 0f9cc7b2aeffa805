/** Paths lead where the table says, whatever is in their segments and however the table is ordered. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPaths } from './paths.ts';

const PATTERNS = [
  '/',
  '/posts',
  '/posts/:id',
  '/posts/similar',
  '/posts/:id/votes',
  '/posts/similar/:kind',
  '/boards/:id/posts/:post',
];

/** The table read as a person does: no empty segment, as many segments, fixed ones alike, the most definite from the left. */
function expected(path: string, patterns: readonly string[] = PATTERNS): string | undefined {
  const parts = path.split('/');
  if (path !== '/' && parts.slice(1).includes('')) return undefined;
  const fitting = patterns
    .map((pattern) => pattern.split('/'))
    .filter(
      (wanted) =>
        wanted.length === parts.length &&
        wanted.every((part, at) => part.startsWith(':') || part === parts[at]),
    );
  const rank = (wanted: readonly string[]) =>
    wanted.map((part) => (part.startsWith(':') ? '1' : '0')).join('');
  return fitting.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]?.join('/');
}

const SEGMENTS = 'posts similar votes boards x :id :kind * __proto__ constructor %20 .x'.split(' ');
const segment = fc.constantFrom('', ...SEGMENTS);

test('every path leads to the most definite pattern, with its values decoded', async () => {
  const tables = [PATTERNS, PATTERNS.toReversed()].map((patterns) =>
    createPaths(new Map(patterns.map((pattern) => [pattern, pattern]))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 5 }), async (segments) => {
      const path = `/${segments.join('/')}`;
      const wanted = expected(path);
      for (const find of tables) {
        const found = await find(path);
        expect([path, found?.entry]).toEqual([path, wanted]);
        const names = (wanted ?? '')
          .split('/')
          .flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), at] as const] : []));
        const values = names.map(([name, at]) => [name, decodeURIComponent(path.split('/')[at] ?? '')]);
        expect(Object.entries(found?.params ?? {})).toEqual(values);
      }
    }),
    { numRuns: 2000 },
  );
});

const patternSegment = fc.constantFrom('a', 'b', ':');
/** Tables in a random order, with a name for each parameter. */
const tables = fc
  .uniqueArray(fc.array(patternSegment, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 12,
    selector: (segments) => segments.join('/'),
  })
  .map((all) =>
    all.map((segments) => `/${segments.map((each, at) => (each === ':' ? `:p${at}` : each)).join('/')}`),
  );

test('no order of the table sends a path elsewhere than to its most definite pattern', async () => {
  const asked = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(tables, fc.array(asked, { minLength: 1, maxLength: 20 }), async (patterns, paths) => {
      const find = createPaths(new Map(patterns.map((pattern) => [pattern, pattern])));
      for (const segments of paths) {
        const path = `/${segments.join('/')}`;
        expect([path, (await find(path))?.entry]).toEqual([path, expected(path, patterns)]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('the prefix alone is its root', async () => {
  expect(await createPaths(new Map([['/', 1]]))('')).toEqual({ entry: 1, params: {} });
  expect(await createPaths(new Map([['/posts', 1]]))('')).toBeUndefined();
});

test('a percent sign that encodes nothing is refused', async () => {
  const find = createPaths(new Map([['/posts/:id', 1]]));
  await expect(find('/posts/%E0%A4%A')).rejects.toThrow('no valid encoding');
});

test('one path with two names is refused', () => {
  const entries = new Map([
    ['/posts/:id', 1],
    ['/posts/:post', 2],
  ]);
  expect(() => createPaths(entries)).toThrow('/posts/:id and /posts/:post are one path with two names.');
});
