/** Places for what stays open: each counts against several limits, so that nobody can take them all. */

/** Who is counted, and how many places they may have. */
export type PlaceLimit = readonly [who: string, limit: number];

/** Hands out places. */
export class Places {
  readonly #taken = new Map<string, number>();

  /** Takes a place and returns the function that gives it back, once; undefined when one of them has none left. */
  take(counts: readonly PlaceLimit[]): (() => void) | undefined {
    if (counts.some(([who, limit]) => (this.#taken.get(who) ?? 0) >= limit)) return undefined;
    for (const [who] of counts) this.#add(who, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [who] of counts) this.#add(who, -1);
      isTaken = false;
    };
  }

  /** How many of somebody are taken. */
  taken(who: string): number {
    return this.#taken.get(who) ?? 0;
  }

  #add(who: string, count: number): void {
    const next = (this.#taken.get(who) ?? 0) + count;
    if (next === 0) this.#taken.delete(who);
    else this.#taken.set(who, next);
  }
}
