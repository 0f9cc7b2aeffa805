/** Chance that falls the same way in every run. */

/** Choices from a seeded stream of numbers. */
export interface Chance {
  /** From 0 to 1. */
  roll(): number;
  between(low: number, high: number): number;
  /** One of them. */
  one<T>(all: readonly T[]): T;
  /** So many different ones; those that stand first are likelier. */
  some<T>(all: readonly T[], count: number): T[];
}

/** Creates chance from a seed. */
export function createChance(seed: number): Chance {
  let state = seed;
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    roll,
    between: (low, high) => low + roll() * (high - low),
    one(all) {
      const found = all[Math.floor(roll() * all.length)];
      if (found === undefined) throw new Error('There is nothing to choose from.');
      return found;
    },
    some: (all, count) =>
      all
        // The larger the weight, the closer its root is to 1.
        .map((item, index) => ({ item, key: roll() ** ((index + EVENNESS) / EVENNESS) }))
        .toSorted((left, right) => right.key - left.key)
        .slice(0, count)
        .map(({ item }) => item),
  };
}

// The first is this many times as likely as one that stands this far back, half of it being twice.
const EVENNESS = 60;
