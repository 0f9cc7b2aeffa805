/** Owns chance that can be had again: every run draws another seed, and a test that fails says which. */
import { onTestFailed } from 'vitest';

/** Returns a source of numbers from 0 to below 1; PARLEY_TEST_SEED brings back the numbers of an earlier run. */
export function seededRandom(): () => number {
  const given = process.env['PARLEY_TEST_SEED'];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given) >>> 0;
  onTestFailed(() => {
    process.stderr.write(`The chance of this test had PARLEY_TEST_SEED=${seed}.\n`);
  });
  return randomFrom(seed);
}

/** The numbers of a seed, for what is no test. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  // mulberry32: small, and its 32 bits are all that a test needs
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
