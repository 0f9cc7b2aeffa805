/** Names in a new grant: one that nothing has is refused with the names that are near. */
import type { Caller, Grants } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';

/** Every name that a grant can give, by toolset: tools, resources and prompts. */
export type KnownGrants = Readonly<Record<string, readonly string[]>>;

/** Tells whether an organization has a connection, or a virtual MCP, with an id that somebody chose. */
export type HasResource = (from: Queryable, organizationId: string, id: string) => Promise<boolean>;

/** What grants may name. */
export interface Grantable {
  readonly known: KnownGrants;
  readonly hasResource: HasResource;
}

const EVERY = '*';
// A connection comes and goes, and its tools with it, so a grant on one is looked at when it is used.
const CONNECTION = /^(?:conn|vir)_[\w-]{1,59}$/;
const MAX_NAME_LENGTH = 128;
const MAX_NEAR = 3;

/** Throws `invalid` on the first toolset or name that is not there; what the maker holds by name is passed on. */
export async function requireKnown(
  from: Queryable,
  { grants, organizationId }: Pick<Caller, 'grants' | 'organizationId'>,
  wanted: Grants,
  { known, hasResource }: Grantable,
): Promise<void> {
  for (const [toolset, names] of Object.entries(wanted)) {
    if (CONNECTION.test(toolset)) continue;
    const isThere = toolset === EVERY || Object.hasOwn(known, toolset);
    const unknown = names.find(
      (name) => !(isThere && isKnown(known, toolset, name)) && !holds(grants, toolset, name),
    );
    if (unknown === undefined) continue;
    if (!isThere && (await hasResource(from, organizationId, toolset))) continue;
    throw new ToolError('invalid', isThere ? noName(known, toolset, unknown) : noToolset(known, toolset));
  }
}

function holds(grants: Grants, toolset: string, name: string): boolean {
  return Object.hasOwn(grants, toolset) && grants[toolset]?.includes(name) === true;
}

function isKnown(known: KnownGrants, toolset: string, name: string): boolean {
  return name === EVERY || namesIn(known, toolset).includes(name);
}

function namesIn(known: KnownGrants, toolset: string): readonly string[] {
  return toolset === EVERY ? Object.values(known).flat() : (known[toolset] ?? []);
}

function noToolset(known: KnownGrants, toolset: string): string {
  return `grants: there is no toolset ${quoted(toolset)}. There are: ${Object.keys(known).toSorted().join(', ')}.`;
}

function noName(known: KnownGrants, toolset: string, name: string): string {
  const names = namesIn(known, toolset);
  const near = nearest(name, names);
  const where = toolset === EVERY ? 'any toolset' : `the toolset "${toolset}"`;
  const all =
    toolset === EVERY ? '"parley tools" lists the tools.' : `It has: ${names.join(', ') || 'only "*"'}.`;
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : all;
  return `grants: there is no tool, resource or prompt ${quoted(name)} in ${where}. ${hint}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MAX_NAME_LENGTH));
}

/** The names that share a word with the given one, or differ in a few letters, the nearest first. */
function nearest(name: string, names: readonly string[]): string[] {
  if (name.length > MAX_NAME_LENGTH) return [];
  const words = wordsOf(name);
  return names
    .map((candidate) => ({
      candidate,
      shared: sharedWords(words, wordsOf(candidate)),
      distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ shared, distance }) => shared > 0 || distance <= Math.max(2, Math.floor(name.length / 4)))
    .toSorted((a, b) => b.shared - a.shared || a.distance - b.distance)
    .slice(0, MAX_NEAR)
    .map(({ candidate }) => candidate);
}

/** The first word is what a tool does, so it counts twice. */
function sharedWords(words: readonly string[], others: readonly string[]): number {
  const isSameStart = words.length > 0 && words[0] === others[0];
  return others.filter((word) => words.includes(word)).length + (isSameStart ? 1 : 0);
}

function wordsOf(name: string): string[] {
  const words = name.toLowerCase().split(/[^a-z0-9]/);
  // One post and two posts are near.
  return words
    .filter((word) => word.length > 2)
    .map((word) => (word.endsWith('s') ? word.slice(0, -1) : word));
}

/** How many letters have to change to come from one text to the other. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
