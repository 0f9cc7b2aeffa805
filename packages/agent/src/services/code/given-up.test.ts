/** Files that were given up are remembered for each root apart, and not without end. */
import { expect, test } from 'vitest';
import { GivenUp } from './given-up.ts';

test('100 files of a root, each once, and none of another root', () => {
  const givenUp = new GivenUp();
  for (let at = 0; at < 100; at += 1)
    expect(givenUp.add('/one', { path: `${at}.ts`, mtimeMs: 1 })).toBe(true);
  expect(givenUp.add('/one', { path: 'more.ts', mtimeMs: 1 })).toBe(false);
  expect(givenUp.add('/one', { path: '7.ts', mtimeMs: 2 })).toBe(true);
  expect(givenUp.of('/one')).toHaveLength(100);
  expect(givenUp.of('/one').filter(({ path }) => path === '7.ts')).toEqual([{ path: '7.ts', mtimeMs: 2 }]);
  expect(givenUp.of('/two')).toEqual([]);
  expect(givenUp.add('/two', { path: 'a.ts', mtimeMs: 1 })).toBe(true);
});

test('the root that was added to longest ago is forgotten first', () => {
  const givenUp = new GivenUp();
  const file = { path: 'a.ts', mtimeMs: 1 };
  for (let at = 0; at < 100; at += 1) givenUp.add(`/${at}`, file);
  givenUp.add('/0', { path: 'b.ts', mtimeMs: 1 });
  givenUp.add('/100', file);
  expect(givenUp.of('/0')).toHaveLength(2);
  expect(givenUp.of('/1')).toEqual([]);
  expect(givenUp.of('/100')).toEqual([file]);
});
