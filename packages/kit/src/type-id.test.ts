import { expect, test } from 'vitest';
import { typeId } from './type-id.ts';

test('ids say what they name and sort in the order in which they were made', () => {
  const ids = [5, 5, 5, 6, 1_700_000_000_000, 1_700_000_000_000].map((at) => typeId('post', at));
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^post_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
});

test('ids of one moment are never the same', () => {
  expect(new Set(Array.from({ length: 10_000 }, () => typeId('key', 1))).size).toBe(10_000);
});
