/** Owns telling a name that only looks like another: letters of several scripts in one word, or ones nobody sees. */

const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Lisu', /\p{Script=Lisu}/u],
  ['Coptic', /\p{Script=Coptic}/u],
] as const;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]/u;
// Emoji are joined by a sign that nobody sees, and rightly so.
const EMOJI = /\p{Extended_Pictographic}[\u{fe0f}\u{200d}\p{Extended_Pictographic}\p{Emoji_Modifier}]*/gu;
const CYRILLIC_AS_LATIN = /^[асеорхуіјѕԁԛԝһАВЕКМНОРСТХУІЈЅԚԜ]{2,}$/u;

/** What is odd about the letters of a name, in words; undefined for nothing. */
export function oddLetters(name: string): string | undefined {
  const plain = name.replaceAll(EMOJI, '');
  if (UNSEEN.test(plain)) return 'It has signs that nobody sees.';
  for (const word of plain.split(/[^\p{L}\p{M}]+/u)) {
    const used = SCRIPTS.filter(([, letters]) => letters.test(word)).map(([script]) => script);
    if (used.length > 1) return `“${word}” mixes ${used.join(' and ')} letters.`;
    if (CYRILLIC_AS_LATIN.test(word)) return `“${word}” is written in Cyrillic letters that look like Latin.`;
  }
  return undefined;
}
