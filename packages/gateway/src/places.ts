/** Places for what stays open: so many per caller, per organization and in all, so that nobody can take them all. */
import type { Caller } from '@parley/kit';

/** How many there are. */
export interface PlaceLimits {
  readonly streamsPerCaller: number;
  readonly streamsPerOrganization: number;
  readonly streamsPerProcess: number;
}

/** Hands out places. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #taken = new Map<string, number>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Takes a place and returns the function that gives it back, once; undefined when there is none. */
  take({ id, organizationId }: Caller): (() => void) | undefined {
    const { streamsPerCaller, streamsPerOrganization, streamsPerProcess } = this.#limits;
    const counts: readonly (readonly [key: string, limit: number])[] = [
      [`caller ${id}`, streamsPerCaller],
      [`organization ${organizationId}`, streamsPerOrganization],
      ['process', streamsPerProcess],
    ];
    if (counts.some(([key, limit]) => (this.#taken.get(key) ?? 0) >= limit)) return undefined;
    for (const [key] of counts) this.#add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [key] of counts) this.#add(key, -1);
      isTaken = false;
    };
  }

  #add(key: string, count: number): void {
    const next = (this.#taken.get(key) ?? 0) + count;
    if (next === 0) this.#taken.delete(key);
    else this.#taken.set(key, next);
  }
}
