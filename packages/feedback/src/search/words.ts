/** Text as plain words: what both databases index and look for, so that they agree on where a word ends. */

import { pairedWords } from './runs.ts';

const NOT_A_WORD = /[^\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;

/** Words in lower case, without accents, separated by blanks; scripts without blanks as pairs of their signs. */
export function plainWords(text: string): string {
  return pairedWords(text.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(NOT_A_WORD, ' ').trim());
}

/** Words so common that they are no help; PostgreSQL's english configuration leaves them out. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
  it its itself they them their theirs themselves what which who whom this that these those am is are was were be
  been being have has had having do does did doing a an the and but if or because as until while of at by for with
  about against between into through during before after above below to from up down in out on off over under again
  further then once here there when where why how all any both each few more most other some such no nor not only
  own same so than too very s t can will just don should now`.split(/\s+/),
);

/** The first words of a text that say what it is about, each once. */
export function tellingWords(text: string, max: number): string[] {
  const words = plainWords(text)
    .split(' ')
    .filter((word) => word !== '' && !STOP_WORDS.has(word));
  return [...new Set(words)].slice(0, max);
}
