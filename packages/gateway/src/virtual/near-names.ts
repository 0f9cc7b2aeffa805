/** Names that somebody may have meant: those with most pairs of letters in common. */

const MOST = 3;
/** Less in common than this is chance. */
const LEAST = 0.35;
const LONGEST = 128;

/** The names nearest to a wrong one, the nearest first. */
export function nearNames(wrong: string, names: Iterable<string>): string[] {
  const wanted = pairsOf(wrong);
  const near: { name: string; likeness: number }[] = [];
  for (const name of names) {
    const likeness = likenessOf(wanted, pairsOf(name));
    if (likeness >= LEAST) near.push({ name, likeness });
  }
  return near
    .toSorted((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

function pairsOf(text: string): Set<string> {
  const plain = text
    .slice(0, LONGEST)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < plain.length; at += 1) pairs.add(plain.slice(at, at + 2));
  return pairs;
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return (2 * common) / (a.size + b.size);
}
