/** Ends a test file: clocks and functions that it has replaced are as they were, for the next file of the same worker. */
import { afterAll, vi } from 'vitest';

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
