/** Held filters: those that read too much, and for a while may read little. */
import type { Candidate } from './matching.ts';

/** How long a filter is held; then it may show again that it reads too much. */
export const HOLD_MS = 10_000;
const KEPT_HOLDS = 2_000;

type Held = Pick<Candidate, 'target_id' | 'filter'>;

/** Kept in memory, by target: what one reads too much with is not held for another that asks the same. */
export class HeldFilters {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#until.size;
  }

  isHeld(one: Held): boolean {
    return (this.#until.get(keyOf(one)) ?? 0) > this.#now();
  }

  hold(one: Held): void {
    const key = keyOf(one);
    // Put at the end, so that the first one is the one that ends first.
    this.#until.delete(key);
    this.#until.set(key, this.#now() + HOLD_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > KEPT_HOLDS && oldest !== undefined) this.#until.delete(oldest);
  }
}

const keyOf = ({ target_id: targetId, filter }: Held) => `${targetId} ${filter}`;
