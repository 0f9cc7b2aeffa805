/** A map of bounded size, by entries and by bytes, that forgets what was used longest ago, one by one. */

/** Keeps the entries that were used last. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #capacity: number;
  readonly #mostBytes: number;
  readonly #bytesOf: (value: Value) => number;
  #bytes = 0;

  /** Without `bytesOf` every entry is taken for small. */
  constructor(
    capacity: number,
    {
      mostBytes = Infinity,
      bytesOf = () => 0,
    }: { mostBytes?: number; bytesOf?: (value: Value) => number } = {},
  ) {
    this.#capacity = capacity;
    this.#mostBytes = mostBytes;
    this.#bytesOf = bytesOf;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    // The order only matters once something has to go soon.
    if (value !== undefined && (this.#entries.size >= this.#capacity || this.#bytes > this.#mostBytes / 2))
      this.#moveLast(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#bytes += this.#bytesOf(value);
    while (this.#entries.size > this.#capacity || this.#bytes > this.#mostBytes) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#bytes -= this.#bytesOf(value);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #moveLast(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
