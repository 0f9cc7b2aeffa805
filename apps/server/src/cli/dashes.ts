/** The words of a command line before and after the first `--`: those after it belong to another program. */

/** Both parts without the dashes; the second is undefined where there are none. */
export function splitAtDashes(
  words: readonly string[],
): [own: readonly string[], program: readonly string[] | undefined] {
  const at = words.indexOf('--');
  return at === -1 ? [words, undefined] : [words.slice(0, at), words.slice(at + 1)];
}
