/** What stands before a name that several toolsets have: the toolset's own name, or words where that name is a made id. */
import { createHash } from 'node:crypto';

/** As `typeId` makes them; nobody can read one, or remember it. */
const MADE_ID = /^[a-z]+_[0-9a-z]{26}$/;
const LONGEST = 30;
const HASH_DIGITS = 4;

interface Titled {
  readonly name: string;
  readonly title: string;
}

/**
 * The prefix of each toolset with a made id, after its title. Of several with the same words the first by name has them
 * alone, and each other one a part of its hash too: no prefix changes its owner when one of them goes.
 */
export function prefixesOf(toolsets: readonly Titled[]): (toolset: string) => string {
  const prefixes = new Map<string, string>();
  const taken = new Set(toolsets.map(({ name }) => name));
  for (const { name, title } of toolsets.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!MADE_ID.test(name)) continue;
    const words = wordsOf(title);
    const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS);
    const prefix = [words, `${words}_${hash}`].find((each) => words !== '' && !taken.has(each)) ?? name;
    taken.add(prefix);
    prefixes.set(name, prefix);
  }
  return (toolset) => prefixes.get(toolset) ?? toolset;
}

function wordsOf(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, LONGEST)
    .replaceAll(/^_|_$/g, '');
}
