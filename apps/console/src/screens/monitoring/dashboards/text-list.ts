/** Owns lists that people write as one line with commas between. */

/** The names of a line; undefined when there is none. */
export function textList(text: string): string[] | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
}

/** The line of some names. */
export function listText(names: readonly string[] | undefined): string {
  return (names ?? []).join(', ');
}
