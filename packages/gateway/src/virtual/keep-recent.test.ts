import { expect, test } from 'vitest';
import { keepRecent } from './keep-recent.ts';

test('what is gone makes room for what comes, however much stays', () => {
  const map = new Map<string, number>();
  const alive = new Set(Array.from({ length: 100 }, (_, index) => `stays ${index}`));
  const isGone = (key: string) => !alive.has(key);
  for (const key of alive) keepRecent(map, key, 0, isGone);
  for (let index = 0; index < 5_000; index += 1) keepRecent(map, `goes ${index}`, index, isGone);
  expect([...alive].filter((key) => !map.has(key))).toEqual([]);
  expect(map.size).toBeLessThan(200);
  expect(map.get('goes 4999')).toBe(4999);
});

test('the oldest goes when there are too many, and one that is used is not the oldest', () => {
  const map = new Map<string, number>();
  for (let index = 0; index < 1_000; index += 1) keepRecent(map, String(index), index, () => false);
  keepRecent(map, 'used', 1);
  for (let index = 0; index < 999; index += 1) keepRecent(map, `new ${index}`, index);
  expect(map.size).toBe(1_000);
  expect(map.has('used')).toBe(true);
});
