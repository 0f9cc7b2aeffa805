/** Owns the words of bench posts: a vocabulary spread as in real text, and what people look for in it. */
import { STOP_WORDS } from '../../packages/feedback/src/search/words.ts';

const VOCABULARY_SIZE = 30_000;

// the most frequent words of English, then those of the trade; the rest is invented
const FREQUENT = `the to and of a in is it i for that would on with like be we this when have as can not but if
  are users able or add so my from an at use you need feature project all time by there one which only our
  want make see view great just has task new list each user do more has no will page show every other option
  then into could some how also set they button way work team date board them up what click email open same`;
const DOMAIN = `search filter export import calendar mobile notification comment attachment permission template
  dashboard report keyboard shortcut archive deadline reminder invite timeline sync offline slow crash error
  column label assignee subtask duplicate integration webhook markdown image upload download print theme dark
  language translate currency timezone week month quarter sprint estimate budget invoice client guest password
  login session browser safari firefox android tablet screen font color icon menu sidebar scroll drag drop sort
  group history undo restore delete merge split link share public private token api rate limit version release`;

/** A stream of numbers from 0 to 1 that is the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Words, the most frequent first. */
export interface Vocabulary {
  pick: () => string;
  /** Those that a search looks for: all but the stop words. */
  telling: readonly string[];
}

/** A vocabulary whose n-th word comes about 1/n as often as the first. */
export function vocabulary(random: () => number): Vocabulary {
  const known = new Set(`${FREQUENT} ${DOMAIN}`.split(/\s+/));
  while (known.size < VOCABULARY_SIZE) known.add(inventedWord(random));
  const words = [...known];
  const upTo = new Float64Array(words.length);
  let sum = 0;
  for (let rank = 0; rank < words.length; rank++) upTo[rank] = sum += 1 / (rank + 2.7);
  const pick = () => words[firstOver(upTo, random() * sum)] ?? '';
  return { pick, telling: words.filter((word) => !STOP_WORDS.has(word)) };
}

/** The first place whose value is over the given one; values only grow. */
function firstOver(values: Float64Array, wanted: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

const onsets = 'b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sh sl st tr th'.split(' ');
const nuclei = 'a e i o u ai ea ee io ou'.split(' ');
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'm', 'nd', 'ng', 'st'];

function inventedWord(random: () => number): string {
  const one = (parts: readonly string[]) => parts[Math.floor(random() * parts.length)] ?? '';
  const syllables = 2 + Math.floor(random() * 3);
  return Array.from({ length: syllables }, () => one(onsets) + one(nuclei) + one(CODAS)).join('');
}

/** A title of three to ten words, and a text of some ten to some hundred, most of them short. */
export function textOf({ pick }: Vocabulary, random: () => number): { title: string; content: string } {
  const sentence = (length: number) => Array.from({ length }, pick).join(' ');
  const spread = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const length = Math.min(600, Math.max(8, Math.round(45 * Math.exp(0.8 * spread))));
  const content: string[] = [];
  for (let left = length; left > 0; left -= 14) content.push(`${sentence(Math.min(left, 14))}.`);
  return { title: sentence(3 + Math.floor(random() * 8)), content: content.join(' ') };
}

// ranks between which a searched word is common, middling or rare
const FREQUENCIES: readonly [number, number][] = [
  [0, 60],
  [60, 2000],
  [2000, 20_000],
];

/** One to three words of mixed frequency. */
export function queryOf({ telling }: Vocabulary, random: () => number): string {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const [from, to] = FREQUENCIES[Math.floor(random() * FREQUENCIES.length)] ?? [0, 1];
    return telling[from + Math.floor(random() * (to - from))] ?? '';
  }).join(' ');
}
