/** The documents that a 2025 session watches: each is said to be watched for as long as it is in here. */

/** A set that tells when something comes in, and takes that back when it goes. */
export class WatchedUris extends Set<string> {
  readonly #begin: (uri: string) => () => void;
  readonly #ends = new Map<string, () => void>();

  constructor(begin: (uri: string) => () => void) {
    super();
    this.#begin = begin;
  }

  override add(uri: string): this {
    if (!this.has(uri)) this.#ends.set(uri, this.#begin(uri));
    return super.add(uri);
  }

  override delete(uri: string): boolean {
    this.#ends.get(uri)?.();
    this.#ends.delete(uri);
    return super.delete(uri);
  }

  override clear(): void {
    for (const end of this.#ends.values()) end();
    this.#ends.clear();
    super.clear();
  }
}
