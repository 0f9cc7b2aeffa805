/** Names as they are compared and listed: case, width and blanks do not matter. */

/** The name without what people do not see or do not mean. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').replaceAll(/\p{C}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

const MAX_LISTED = 20;
const MAX_LENGTH = 60;

/** Some of the names in a sentence, however many there are. */
export function listOf(names: readonly string[]): string {
  const listed = names
    .slice(0, MAX_LISTED)
    .map((name) => (name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}...` : name).toWellFormed());
  const rest = names.length - listed.length;
  return `${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
