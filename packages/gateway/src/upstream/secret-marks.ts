/** Finds secrets of other connections in what a server says, without keeping any of them: only keyed marks are kept. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Span, TextSearch, UpstreamTarget } from '@parley/connections';
import { TailFinder, Tails, withMasks } from '@parley/connections';

/** The secrets of an organization that a call did not bring itself. */
export type ForeignSecrets = TextSearch;

/** The last so many characters of a secret find it: its beginning is often that of all its kind. */
const WINDOW = 12;
const MOST_OF_ORGANIZATION = 2_000;
/** Of all organizations together: tokens are renewed for as long as a server runs. */
const MOST_IN_ALL = 100_000;
/** After so many looks in one result, whatever ends like a secret counts as one. */
const MOST_LOOKS = 2_000;

interface Mark {
  readonly length: number;
  readonly digest: string;
  /** Of its last characters. */
  readonly tail: number;
}

class Marks {
  /** By digest, the one that was used longest ago first. */
  readonly all = new Map<string, Mark>();
  tails = new Tails<Mark>();

  keep(mark: Mark): void {
    const known = this.all.get(mark.digest) ?? mark;
    this.all.delete(mark.digest);
    this.all.set(mark.digest, known);
    if (known === mark) this.tails.enter(mark.tail, mark);
    if (this.all.size > MOST_OF_ORGANIZATION) this.#dropOldest();
  }

  /** A tenth at a time, since the rest is entered anew. */
  #dropOldest(): void {
    const old = [...this.all.keys()].slice(0, MOST_OF_ORGANIZATION / 10);
    for (const digest of old) this.all.delete(digest);
    this.tails = new Tails();
    for (const mark of this.all.values()) this.tails.enter(mark.tail, mark);
  }
}

export class SecretMarks {
  readonly #key = randomBytes(32);
  readonly #finder = new TailFinder(WINDOW);
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
        tail: this.#finder.tailOf(secret),
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
      without: (text, mask) => withMasks(text, this.#spans(text, { marks, looks }), mask),
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

  /** Where secrets stand, in the order of their ends. */
  #spans(text: string, search: Search): Span[] {
    const spans: Span[] = [];
    this.#finder.find(text, search.marks.tails.filter, (end, tail) => {
      const span = this.#look(text, end, tail, search);
      if (span !== undefined) spans.push(span);
      return span !== undefined && search.isFirstEnough === true;
    });
    return spans;
  }

  /** The secret that ends here. */
  #look(text: string, end: number, tail: number, { marks, looks }: Search): Span | undefined {
    for (const { length, digest } of marks.tails.at(tail)) {
      const start = end - length;
      if (start < 0) continue;
      looks.left -= 1;
      if (looks.left < 0 || this.#digestOf(text.slice(start, end)) === digest) return { start, end };
    }
    return undefined;
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

const storedOf = ({ secrets, storedSecrets = secrets }: UpstreamTarget) => storedSecrets;

const isMarked = ({ length }: string) => length >= WINDOW;
