/** Token buckets under every clock that a machine may have. */
import { expect, test } from 'vitest';
import { TokenBuckets } from './buckets.ts';

test('a clock that is set back takes nothing away, and time goes on from there', () => {
  let nowMs = 1_000_000;
  const buckets = new TokenBuckets(10, 20, () => nowMs);
  expect(buckets.take('a', 19)).toBe(0);
  nowMs -= 3_600_000;
  expect(buckets.take('a')).toBe(0);
  expect(buckets.take('a')).toBe(100);
  nowMs += 100;
  expect(buckets.take('a')).toBe(0);
});
