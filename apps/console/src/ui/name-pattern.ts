/** Owns patterns of names, as people choose tools with: words with stars, a minus in front takes away. */

/** True for a name that is meant. */
export type MatchesName = (name: string) => boolean;

/**
 * `get_*, list_*, -*_admin`: any of the first, none of those with a minus; case does not matter. Only minuses: all others.
 * A pattern without words means nothing.
 */
export function namePattern(text: string): MatchesName {
  const words = text
    .split(/[\s,]+/)
    .filter((word) => word !== '' && word !== '-')
    .slice(0, 100);
  const wanted = words.filter((word) => !word.startsWith('-')).map(globOf);
  const unwanted = words.filter((word) => word.startsWith('-')).map((word) => globOf(word.slice(1)));
  if (words.length === 0) return () => false;
  return (name) =>
    (wanted.length === 0 || wanted.some((matches) => matches(name))) &&
    !unwanted.some((matches) => matches(name));
}

/** One word with stars; parts are looked for one after the other, so that no text makes it slow. */
function globOf(word: string): MatchesName {
  const parts = word.toLowerCase().split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return (name) => name.toLowerCase() === first;
  const middle = parts.slice(1, -1);
  return (name) => {
    const text = name.toLowerCase();
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
