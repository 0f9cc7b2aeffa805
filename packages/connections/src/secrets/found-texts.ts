/** Finds texts of a set within another text: one step for each of its characters, whatever their number. */
import { randomBytes } from 'node:crypto';

/** What is looked for in one result. */
export interface TextSearch {
  isIn(text: string): boolean;
  /** The text with a mask for each of them, and how many there were. */
  without(text: string, mask: string): { readonly text: string; readonly count: number };
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

const SLOT_BITS = 16;
/** So many characters are read at a time. */
const PART = 4_096;

/** What is looked for, by the hash of its last characters. */
export class Tails<T extends { readonly length: number }> {
  readonly #byTail = new Map<number, readonly T[]>();
  /** One bit for each slot that a tail falls into, so that most characters cost a look at one byte. */
  readonly filter = new Uint8Array(2 ** SLOT_BITS / 8);

  enter(tail: number, one: T): void {
    const slot = tail >>> (32 - SLOT_BITS);
    this.filter[slot >>> 3] = (this.filter[slot >>> 3] ?? 0) | (1 << (slot & 7));
    // The longest first: one may be the end of another.
    const same = [...this.at(tail), one].toSorted((a, b) => b.length - a.length);
    this.#byTail.set(tail, same);
  }

  at(tail: number): readonly T[] {
    return this.#byTail.get(tail) ?? [];
  }
}

/** Goes through texts by the hash of so many characters at a time. */
export class TailFinder {
  readonly #window: number;
  // Odd, or the first characters of a window would not count.
  readonly #base = randomBytes(4).readInt32LE() | 1;
  readonly #leaving: number;
  // Nothing waits between the writing and the reading of them.
  readonly #units = new Uint16Array(PART);
  readonly #bytes = Buffer.from(this.#units.buffer);

  constructor(window: number) {
    this.#window = window;
    this.#leaving = powerOf(this.#base, window - 1);
  }

  tailOf(text: string): number {
    this.#read(text.slice(-this.#window), 0);
    const tail = (Math.imul(this.#begin(), this.#base) + (this.#units[this.#window - 1] ?? 0)) | 0;
    // Nothing of a secret stays here.
    this.#units.fill(0, 0, this.#window);
    return tail;
  }

  /** Asks at each place where one of them may end, until `onTail` says that this is enough. */
  find(text: string, filter: Uint8Array, onTail: (end: number, tail: number) => boolean): void {
    const [window, base, leaving, units] = [this.#window, this.#base, this.#leaving, this.#units];
    // Each part begins with what the last one could not end a window with.
    for (let from = 0; from + window <= text.length; from += PART - window + 1) {
      const length = this.#read(text, from);
      let hash = this.#begin();
      for (let at = window - 1; at < length; at += 1) {
        hash = (Math.imul(hash, base) + (units[at] ?? 0)) | 0;
        const slot = hash >>> (32 - SLOT_BITS);
        if (((filter[slot >>> 3] ?? 0) & (1 << (slot & 7))) !== 0 && onTail(from + at + 1, hash)) return;
        hash = (hash - Math.imul(units[at - window + 1] ?? 0, leaving)) | 0;
      }
    }
  }

  /** Copies a part of a text to where its characters are read fast; returns how many there are. */
  #read(text: string, from: number): number {
    const isWhole = from === 0 && text.length <= PART;
    return this.#bytes.write(isWhole ? text : text.slice(from, from + PART), 'utf16le') / 2;
  }

  /** The hash of the first window, without its last character. */
  #begin(): number {
    const [base, units] = [this.#base, this.#units];
    let hash = 0;
    for (let at = 0; at < this.#window - 1; at += 1) hash = (Math.imul(hash, base) + (units[at] ?? 0)) | 0;
    return hash;
  }
}

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let times = 0; times < exponent; times += 1) power = Math.imul(power, base);
  return power;
}

/** The text with a mask for each span. They come in the order of their ends; those that overlap are one. */
export function withMasks(
  text: string,
  spans: readonly Span[],
  mask: string,
): { text: string; count: number } {
  const apart: Span[] = [];
  for (const { start: first, end } of spans) {
    let start = first;
    for (let last = apart.at(-1); last !== undefined && last.end > start; last = apart.at(-1)) {
      start = Math.min(start, last.start);
      apart.pop();
    }
    apart.push({ start, end });
  }
  const parts = apart.map(({ start }, index) => text.slice(apart[index - 1]?.end ?? 0, start));
  const rest = text.slice(apart.at(-1)?.end ?? 0);
  return { text: [...parts, rest].join(mask), count: apart.length };
}
