/** Names of statements: one that is used again and again is parsed and planned once for each connection. */
import { hash } from 'node:crypto';

/** On each connection, in memory of the server. */
const MOST_NAMES = 300;
const MOST_CANDIDATES = 1_000;
/** A statement whose text depends on its input is not worth a name. */
const USES_BEFORE_A_NAME = 3;

/** The names of one store; every connection of it uses the same ones. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();
  #generation = 0;
  #isOff: boolean;

  constructor({ isOff }: { isOff: boolean }) {
    this.#isOff = isOff;
  }

  /** The name of a statement with parameters; undefined for one that goes without. */
  nameOf(sql: string): string | undefined {
    if (this.#isOff) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MOST_NAMES) return known;
    const uses = (this.#uses.get(sql) ?? 0) + 1;
    this.#uses.delete(sql);
    if (uses < USES_BEFORE_A_NAME) {
      this.#uses.set(sql, uses);
      const oldest = this.#uses.size > MOST_CANDIDATES ? this.#uses.keys().next().value : undefined;
      if (oldest !== undefined) this.#uses.delete(oldest);
      return undefined;
    }
    const name = `parley_${this.#generation}_${hash('sha256', sql, 'hex').slice(0, 16)}`;
    this.#names.set(sql, name);
    return name;
  }

  /** New names for all: the tables have changed, and a statement keeps the columns that it once had. */
  renew(): void {
    this.#generation += 1;
    this.#names.clear();
  }

  /** No names from now on; true for the first who says so. */
  turnOff(): boolean {
    const wasOn = !this.#isOff;
    this.#isOff = true;
    return wasOn;
  }
}
