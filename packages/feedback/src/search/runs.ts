/** Writing without blanks between words, as in Chinese, Japanese and Korean: runs of it are found by pairs of signs. */

// After normalisation only letters and digits are left, so these are letters of the four scripts.
const RUN = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]+/gu;

/** Plain words with each run as its pairs, in order: a text holds another when its pairs hold those of the other. */
export function pairedWords(words: string): string {
  return words
    .replace(RUN, (run) => ` ${pairsOf(run).join(' ')} `)
    .replace(/ {2,}/g, ' ')
    .trim();
}

function pairsOf(run: string): string[] {
  const signs = Array.from(run);
  if (signs.length === 1) return signs;
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}
