/** The places of this process: counted in memory, taken before a task is claimed and given back when its run is over. */
import type { PoolName } from '../schema.ts';
import type { Pool } from './pools.ts';

/** How many places of each pool are taken; a closed process has none to give. */
export class ProcessPlaces {
  readonly #taken = new Map<PoolName, number>();
  #isOpen = false;

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Takes as many places as are free, `wanted` at most, and returns their number. */
  take(pool: Pool | undefined, wanted: number): number {
    if (!this.#isOpen || pool === undefined) return 0;
    const taken = this.#taken.get(pool.name) ?? 0;
    const given = Math.max(0, Math.min(wanted, pool.perProcess - taken));
    this.#taken.set(pool.name, taken + given);
    return given;
  }

  giveBack(name: PoolName, count: number): void {
    this.#taken.set(name, (this.#taken.get(name) ?? 0) - count);
  }
}
