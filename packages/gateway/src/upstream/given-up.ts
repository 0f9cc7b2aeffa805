/** The requests of one conversation that were given up: their answers may still come, and belong to nobody. */

const MOST = 1_000;

/** Remembers their ids, which only grow, within bounds. */
export class GivenUp {
  readonly #ids = new Set<number>();
  /** Those up to this one are too many to be told apart. */
  #upTo = 0;

  add(id: number): void {
    this.#ids.add(id);
    if (this.#ids.size <= MOST) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      this.#upTo = Math.max(this.#upTo, oldest);
      break;
    }
  }

  has(id: unknown): boolean {
    return typeof id === 'number' && ((id > 0 && id <= this.#upTo) || this.#ids.has(id));
  }
}
