/** The overlay's size, as it is served. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleOverlay } from '../../scripts/bundle.ts';

const MAX_GZIP_BYTES = 40 * 1024;

test('the overlay is at most 40 kB gzip and holds no evaluation of text', () => {
  const script = bundleOverlay();
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  expect(script).not.toMatch(/\beval\(|new Function\(|innerHTML/);
});
