/** Finds secrets that are known word for word, at a cost that their number does not change. */
import type { Span, TextSearch } from './found-texts.ts';
import { TailFinder, Tails, withMasks } from './found-texts.ts';

/** The last so many characters of a long one find it: its beginning is often that of all its kind. */
const WINDOW = 12;
/** As many are told fastest one after the other, by the search of the engine. */
const FEW = 8;
/** After so many looks in one result, whatever ends like a secret counts as one. */
const MOST_LOOKS = 10_000;

interface Group {
  readonly finder: TailFinder;
  readonly tails: Tails<string>;
  readonly window: number;
}

// Kept for as long as they are: all calls with the same credentials look for the same.
const knownOf = new WeakMap<readonly string[], KnownSecrets>();

/** Looks for secrets in one result; the cost of each of its characters is the same for one of them and for hundreds. */
export function searchFor(secrets: readonly string[]): TextSearch {
  const known = knownOf.get(secrets) ?? new KnownSecrets(secrets);
  knownOf.set(secrets, known);
  return known.search();
}

class KnownSecrets {
  readonly #texts: readonly string[];
  #groups: readonly Group[] | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts.filter((text) => text !== '');
  }

  search(): TextSearch {
    const looks = { left: MOST_LOOKS };
    const few = this.#texts.length <= FEW ? this.#texts : undefined;
    const isOneOfFew = (text: string) => few?.some((secret) => text.includes(secret));
    return {
      isIn: (text) => isOneOfFew(text) ?? this.#spans(text, looks, true).length > 0,
      without: (text, mask) =>
        isOneOfFew(text) === false ? { text, count: 0 } : withMasks(text, this.#spans(text, looks), mask),
    };
  }

  /** Where they stand, in the order of their ends. */
  #spans(text: string, looks: { left: number }, isFirstEnough = false): Span[] {
    const spans: Span[] = [];
    this.#groups ??= groupsOf(this.#texts);
    for (const { finder, tails, window } of this.#groups) {
      finder.find(text, tails.filter, (end, tail) => {
        for (const secret of tails.at(tail)) {
          const start = end - secret.length;
          if (start < 0) continue;
          if (secret.length > window) looks.left -= 1;
          const isTakenForIt = secret.length > window && looks.left < 0;
          if (!isTakenForIt && !text.startsWith(secret, start)) continue;
          spans.push({ start, end });
          return isFirstEnough;
        }
        return false;
      });
      if (isFirstEnough && spans.length > 0) return spans;
    }
    return this.#groups.length > 1 ? spans.toSorted((a, b) => a.end - b.end) : spans;
  }
}

/** Short ones apart: so few characters stand in many texts. */
function groupsOf(texts: readonly string[]): Group[] {
  const { long = [], short = [] } = Object.groupBy(texts, ({ length }) =>
    length < WINDOW ? 'short' : 'long',
  );
  return [long, short]
    .filter(({ length }) => length > 0)
    .map((group) => {
      const window = Math.min(WINDOW, ...group.map(({ length }) => length));
      const finder = new TailFinder(window);
      const tails = new Tails<string>();
      for (const text of group) tails.enter(finder.tailOf(text), text);
      return { finder, tails, window };
    });
}
