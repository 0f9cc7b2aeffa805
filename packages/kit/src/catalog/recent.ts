/** A map that keeps what was used last, and no more than so many. */
export class Recent<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    // The order only matters once something has to go.
    if (value !== undefined && this.#entries.size >= this.#most) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    // A map keeps the order of its entries, so the first was used longest ago.
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  get size(): number {
    return this.#entries.size;
  }
}
