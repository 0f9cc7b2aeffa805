/** Names: which ones a definition may have, and how those that collide at one URL are told apart. */
import { createHash } from 'node:crypto';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const TOOLSET_NAME = /^[a-z][a-z0-9-]{0,63}$/;
const OUTSIDE_TOOLSET = /^[A-Za-z0-9_-]{1,64}$/;
// Other servers choose their own names; what cannot be shown is refused all the same.
const OUTSIDE_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;
/** What every client takes as the name of a tool; some keep those that begin with an underscore for themselves. */
const FIT_NAME = /^(?!_)[A-Za-z0-9_-]{1,64}$/;
const UNFIT = /[^A-Za-z0-9_-]/g;
const LONGEST_SHOWN = 64;
const HASH_DIGITS = 8;

/** The kind of the sources that are code of this program. */
export const OWN = 'toolset';

/** What is wrong with the name of a toolset; undefined: nothing. */
export function faultOfToolset(name: string, kind: string): string | undefined {
  if (kind === OWN) {
    if (TOOLSET_NAME.test(name)) return undefined;
    return `Toolset name "${name}" must be lower case letters, digits and dashes.`;
  }
  if (OUTSIDE_TOOLSET.test(name)) return undefined;
  return `The name "${name}" of a ${kind} must be 1 to 64 letters, digits, underscores or dashes.`;
}

/** What is wrong with the name of a tool, prompt or resource. */
export function faultOfName(sort: string, name: string, kind: string = OWN): string | undefined {
  if ((kind === OWN ? NAME : OUTSIDE_NAME).test(name)) return undefined;
  if (kind !== OWN) return `A ${sort} name of a ${kind} must be 1 to 200 visible characters.`;
  return `The ${sort} name "${name}" must be 1 to 128 letters, digits, underscores, dots or dashes.`;
}

/** The order of every list. */
export function byName(a: Nameable, b: Nameable): number {
  return compare(a.name, b.name) || compare(a.toolset, b.toolset);
}

interface Nameable {
  readonly name: string;
  readonly toolset: string;
  /** The kind of source that it comes from; absent: this program. */
  readonly source?: string;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Tells the toolsets of this program from those of other sources. */
export function ownIn({
  toolsets,
}: {
  readonly toolsets: readonly { readonly name: string; readonly kind?: string }[];
}): (toolset: string) => boolean {
  const own = new Set(toolsets.filter(({ kind }) => kind === undefined).map(({ name }) => name));
  return (toolset) => own.has(toolset);
}

/** How things of one sort are told apart. */
export interface Telling<Item> {
  /** What has to be unique. */
  keyOf(item: Item): string;
  /** What may stand for it instead, best first. */
  aliasesOf(item: Item): readonly string[];
  renamed(item: Item, alias: string): Item;
  /** False: it may not stand under its own key here. Absent: everything may. */
  isFit?(item: Item): boolean;
}

/**
 * The same things, each under a key of its own. What belongs to this program keeps its key, then what belongs to the
 * toolset that is first by name; all others get an alias. The order in which things came does not matter.
 */
export function toldApart<Item extends Nameable>(
  items: readonly Item[],
  isOwn: (toolset: string) => boolean,
  { keyOf, aliasesOf, renamed, isFit = () => true }: Telling<Item>,
): Item[] {
  const rank = (item: Item) => (isOwn(item.toolset) && item.source === undefined ? 0 : 1);
  const ranked = items.toSorted((a, b) => rank(a) - rank(b) || compare(a.toolset, b.toolset) || byName(a, b));
  const taken = new Map<string, Item>();
  const losers: Item[] = [];
  for (const item of ranked) {
    if (taken.has(keyOf(item)) || !isFit(item)) losers.push(item);
    else taken.set(keyOf(item), item);
  }
  // All bare names are settled first: an alias never takes one.
  for (const item of losers) {
    const alias = aliasesOf(item).find((candidate) => !taken.has(candidate));
    if (alias !== undefined) taken.set(alias, renamed(item, alias));
  }
  return [...taken.values()].toSorted(byName);
}

/**
 * How tools and prompts are told apart: by the prefix of their toolset before their own name. Where several toolsets are
 * served together, names of other servers that some clients would refuse a whole list for are made fit.
 */
export function byPrefix<Item extends Nameable & { renamed(name: string): Item }>(
  isShared = false,
  prefixOf: (toolset: string) => string = (toolset) => toolset,
): Telling<Item> {
  return {
    keyOf: ({ name }) => name,
    aliasesOf({ toolset, name }) {
      const prefix = prefixOf(toolset);
      const whole = joined(prefix, name);
      const short = cut(prefix, toolset, name);
      return [...plain(name), whole.length <= LONGEST_SHOWN ? whole : short, short];
    },
    renamed: (item, alias) => item.renamed(alias),
    ...(isShared && { isFit: ({ source, name }: Item) => source === undefined || FIT_NAME.test(name) }),
  };
}

/** An unfit name without what makes it so. */
function plain(name: string): string[] {
  const fit = unclaimed(name.replaceAll(UNFIT, '_'));
  return fit === name || !FIT_NAME.test(fit) ? [] : [fit];
}

/** Never the same for two tools, however long their names are. */
function cut(prefix: string, toolset: string, name: string): string {
  const hash = createHash('sha256').update(`${toolset}\n${name}`).digest('hex').slice(0, HASH_DIGITS);
  return `${joined(prefix, name).slice(0, LONGEST_SHOWN - HASH_DIGITS - 1)}_${hash}`;
}

function joined(prefix: string, name: string): string {
  return unclaimed(`${prefix}_${name.replaceAll(UNFIT, '_')}`);
}

function unclaimed(name: string): string {
  return name.replace(/^_/, 'x_');
}

/** Hosts know a page for an app, and a skill with all that lies in its folder, by the scheme. */
const KEPT_SCHEMES = ['ui://', 'skill://'];

/** The URI that stands for one of a toolset where another one has it too. */
export function aliasUri(toolset: string, uri: string): string {
  const scheme = KEPT_SCHEMES.find((kept) => uri.startsWith(kept));
  if (scheme === undefined) return `parley://${toolset}/${encodedUri(uri)}`;
  return `${scheme}${toolset}/${uri.slice(scheme.length)}`;
}

/** How resources are told apart: by a URI of ours with their toolset and their own URI in it. */
export function byUri<
  Item extends Nameable & { readonly uri: string; renamed(uri: string): Item },
>(): Telling<Item> {
  return {
    keyOf: ({ uri }) => uri,
    aliasesOf: ({ toolset, uri }) => [aliasUri(toolset, uri)],
    renamed: (item, alias) => item.renamed(alias),
  };
}

/** The URI as one path segment; the variables of a template stay what they are. */
function encodedUri(uri: string): string {
  return encodeURIComponent(uri).replaceAll('%7B', '{').replaceAll('%7D', '}');
}
