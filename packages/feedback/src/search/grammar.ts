/** The search grammar: words that must all match, "phrases", OR, -word; any other sign is plain text. */
import { plainWords, STOP_WORDS } from './words.ts';

/** One thing to look for: a word, or several in this order. */
export interface Term {
  readonly words: readonly string[];
  readonly isExcluded: boolean;
}

/** Alternatives, each a list of terms that must all hold. None means that nothing can match. */
export type Search = readonly (readonly Term[])[];

const TOKEN = /(-?)"([^"]*)"?|(\S+)/gu;
const MAX_TERMS = 50;

/** Parses what people type; no input is an error. */
export function parseSearch(input: string): Search {
  const groups: Term[][] = [[]];
  let terms = 0;
  for (const [, minus, phrase, word = ''] of input.matchAll(TOKEN)) {
    if (terms >= MAX_TERMS) break;
    if (word === 'OR') {
      groups.push([]);
      continue;
    }
    const isExcluded = phrase === undefined ? word.startsWith('-') : minus === '-';
    const found = termOf(phrase ?? word, isExcluded);
    if (found === undefined) continue;
    groups.at(-1)?.push(found);
    terms += 1;
  }
  return groups.filter((group) => group.length > 0);
}

/** Words that stand side by side, as in `dark-mode`; undefined when all of them are too common to look for. */
function termOf(text: string, isExcluded: boolean): Term | undefined {
  const words = plainWords(text)
    .split(' ')
    .filter((word) => word !== '');
  const isTelling = (word: string) => !STOP_WORDS.has(word);
  const first = words.findIndex(isTelling);
  if (first === -1) return undefined;
  return { words: words.slice(first, words.findLastIndex(isTelling) + 1), isExcluded };
}
