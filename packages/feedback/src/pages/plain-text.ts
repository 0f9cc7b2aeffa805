/** Text without the signs that databases, XML and readers have no use for. */

const UNWANTED = /(?![\n\t])\p{Cc}|[\uFFFE\uFFFF]/gu;

/** Line breaks and tabs stay; other control characters and halves of characters go. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').toWellFormed().replace(UNWANTED, '');
}
