/** Finds secrets of other connections in what a server says, without keeping any of them: only keyed marks are kept. */
import { createHmac, randomBytes } from 'node:crypto';
import type { UpstreamTarget } from '@parley/connections';

/** The secrets of an organization that a call did not bring itself. */
export interface ForeignSecrets {
  isIn(text: string): boolean;
  /** The text with a mask for each of them, and how many there were. */
  without(text: string, mask: string): { readonly text: string; readonly count: number };
}

/** The last so many characters of a secret find it: its beginning is often that of all its kind. */
const WINDOW = 12;
const SLOT_BITS = 16;
const MOST_OF_ORGANIZATION = 2_000;
/** Of all organizations together: tokens are renewed for as long as a server runs. */
const MOST_IN_ALL = 100_000;
/** After so many looks in one result, whatever ends like a secret counts as one. */
const MOST_LOOKS = 2_000;

/** So many characters are read at a time. */
const PART = 4_096;

interface Mark {
  readonly length: number;
  readonly digest: string;
  /** Of its last characters. */
  readonly tail: number;
}

class Marks {
  /** By digest, the one that was used longest ago first. */
  readonly all = new Map<string, Mark>();
  byTail = new Map<number, Mark[]>();
  /** One bit for each slot that a tail falls into, so that most characters cost a look at one byte. */
  filter = new Uint8Array(2 ** SLOT_BITS / 8);

  keep(mark: Mark): void {
    const known = this.all.get(mark.digest) ?? mark;
    this.all.delete(mark.digest);
    this.all.set(mark.digest, known);
    if (known === mark) this.#enter(mark);
    if (this.all.size > MOST_OF_ORGANIZATION) this.#dropOldest();
  }

  #enter(mark: Mark): void {
    const slot = mark.tail >>> (32 - SLOT_BITS);
    this.filter[slot >>> 3] = (this.filter[slot >>> 3] ?? 0) | (1 << (slot & 7));
    const same = [...(this.byTail.get(mark.tail) ?? []), mark];
    // The longest first: one may be the end of another.
    this.byTail.set(
      mark.tail,
      same.toSorted((a, b) => b.length - a.length),
    );
  }

  /** A tenth at a time, since the filter is made anew. */
  #dropOldest(): void {
    const old = [...this.all.keys()].slice(0, MOST_OF_ORGANIZATION / 10);
    for (const digest of old) this.all.delete(digest);
    this.byTail = new Map();
    this.filter = new Uint8Array(this.filter.length);
    for (const mark of this.all.values()) this.#enter(mark);
  }
}

export class SecretMarks {
  readonly #key = randomBytes(32);
  // Odd, or the first characters of a window would not count.
  readonly #base = randomBytes(4).readInt32LE() | 1;
  readonly #leaving = powerOf(this.#base, WINDOW - 1);
  // Nothing waits between the writing and the reading of them.
  readonly #units = new Uint16Array(PART);
  readonly #bytes = Buffer.from(this.#units.buffer);
  readonly #organizations = new Map<string, Marks>();
  readonly #kept = new WeakSet<readonly string[]>();
  #count = 0;

  /**
   * Marks the secrets of a target that is being used; short ones say too little. What a client brought along is none of
   * the organization's: any text could be brought, and would be cut out of what others get.
   */
  keep(target: UpstreamTarget): void {
    const stored = storedOf(target);
    if (this.#kept.has(stored)) return;
    this.#kept.add(stored);
    const secrets = stored.filter(isMarked);
    if (secrets.length === 0) return;
    const marks = this.#marksOf(target.organizationId);
    const before = marks.all.size;
    for (const secret of secrets)
      marks.keep({
        length: secret.length,
        tail: this.#tailOf(secret),
        digest: this.#digestOf(secret),
      });
    this.#count += marks.all.size - before;
    this.#dropOldest();
  }

  /** Undefined: nobody else in the organization of a target has any. */
  foreignTo(target: UpstreamTarget): ForeignSecrets | undefined {
    const marks = this.#organizations.get(target.organizationId);
    // The own ones are cut out by whoever knows them, which costs less.
    if (marks === undefined || marks.all.size <= storedOf(target).filter(isMarked).length) return undefined;
    return this.#known(marks);
  }

  /** All secrets of an organization; undefined: it has none. */
  of(organizationId: string): ForeignSecrets | undefined {
    const marks = this.#organizations.get(organizationId);
    return marks === undefined ? undefined : this.#known(marks);
  }

  #known(marks: Marks): ForeignSecrets {
    const looks = { left: MOST_LOOKS };
    return {
      isIn: (text) => this.#spans(text, { marks, looks, isFirstEnough: true }).length > 0,
      without: (text, mask) => masked(text, this.#spans(text, { marks, looks }), mask),
    };
  }

  #marksOf(organizationId: string): Marks {
    const marks = this.#organizations.get(organizationId) ?? new Marks();
    this.#organizations.delete(organizationId);
    this.#organizations.set(organizationId, marks);
    return marks;
  }

  /** Those of the organizations that used theirs longest ago. */
  #dropOldest(): void {
    for (const [organizationId, { all }] of this.#organizations) {
      if (this.#count <= MOST_IN_ALL) return;
      this.#count -= all.size;
      this.#organizations.delete(organizationId);
    }
  }

  /** Where secrets stand: one step for each character, whatever the number of secrets. */
  #spans(text: string, search: Search): Span[] {
    const { filter } = search.marks;
    const [base, leaving, units] = [this.#base, this.#leaving, this.#units];
    const spans: Span[] = [];
    // Each part begins with what the last one could not end a window with.
    for (let from = 0; from + WINDOW <= text.length; from += PART - WINDOW + 1) {
      const length = this.#read(text, from);
      let hash = this.#begin();
      for (let at = WINDOW - 1; at < length; at += 1) {
        hash = (Math.imul(hash, base) + (units[at] ?? 0)) | 0;
        const slot = hash >>> (32 - SLOT_BITS);
        if (((filter[slot >>> 3] ?? 0) & (1 << (slot & 7))) !== 0) {
          const span = this.#look(text, from + at + 1, hash, search);
          if (span !== undefined) spans.push(span);
          if (span !== undefined && search.isFirstEnough === true) return spans;
        }
        hash = (hash - Math.imul(units[at - WINDOW + 1] ?? 0, leaving)) | 0;
      }
    }
    return spans;
  }

  /** The secret that ends here. */
  #look(text: string, end: number, tail: number, { marks, looks }: Search): Span | undefined {
    for (const { length, digest } of marks.byTail.get(tail) ?? []) {
      const start = end - length;
      if (start < 0) continue;
      looks.left -= 1;
      if (looks.left < 0 || this.#digestOf(text.slice(start, end)) === digest) return { start, end };
    }
    return undefined;
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
    for (let at = 0; at < WINDOW - 1; at += 1) hash = (Math.imul(hash, base) + (units[at] ?? 0)) | 0;
    return hash;
  }

  #tailOf(secret: string): number {
    this.#read(secret.slice(-WINDOW), 0);
    const tail = (Math.imul(this.#begin(), this.#base) + (this.#units[WINDOW - 1] ?? 0)) | 0;
    // Nothing of a secret stays here.
    this.#units.fill(0, 0, WINDOW);
    return tail;
  }

  #digestOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

interface Search {
  readonly marks: Marks;
  /** How many may still be looked at closely, in all texts of one result. */
  readonly looks: { left: number };
  readonly isFirstEnough?: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** They come in the order of their ends; those that overlap are one. */
function masked(text: string, spans: readonly Span[], mask: string): { text: string; count: number } {
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

const storedOf = ({ secrets, storedSecrets = secrets }: UpstreamTarget) => storedSecrets;

const isMarked = ({ length }: string) => length >= WINDOW;

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let times = 0; times < exponent; times += 1) power = Math.imul(power, base);
  return power;
}
