/** Text as it is compared: both databases are given these words, so that they find the same. */

const MARKS = /\p{M}+/gu;
const BLANKS = /\s+/gu;
const NOT_A_WORD = /[^\p{L}\p{N}]+/u;

/** Longer ones are found as part of the text only. */
export const MAX_WORD = 64;

/** Lower case, without accents, with single blanks. */
export function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(MARKS, '').normalize('NFC');
  return bare.toLowerCase().replace(BLANKS, ' ').trim();
}

/** The words of a folded text, each once: letters and digits, nothing that a search could read as a sign. */
export function wordsOf(folded: string): string[] {
  return [...new Set(folded.split(NOT_A_WORD))].filter((word) => word !== '');
}
