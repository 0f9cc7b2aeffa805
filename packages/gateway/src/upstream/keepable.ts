/** Words of an upstream that are kept: databases take no U+0000, and write half of a character as another one. */

/** The text as it can be kept; what cannot be is written out. */
export function keepable(text: string): string {
  return text.replaceAll('\0', '<U+0000>').toWellFormed();
}
