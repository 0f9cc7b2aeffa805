/**
 * A heap that stays small until there is load. Loading code makes the young generation grow to its full size, which an
 * idle server then carries along; it is worth having only for requests.
 */
import { setFlagsFromString } from 'node:v8';

const REQUESTS_BEFORE_GROWTH = 1000;

/** Holds the young generation down; call it before the server's code is loaded. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Counts requests, and lets the heap grow when there are many. */
export function createHeapGrowth(): () => void {
  let left = REQUESTS_BEFORE_GROWTH;
  return () => {
    left -= 1;
    // V8's own factor; from here on it decides by what survives.
    if (left === 0) setFlagsFromString('--semi-space-growth-factor=2');
  };
}
