/** Which set of routes has a path: the one with the longest prefix, and never two. */
import type { RouteSet } from './route-set.ts';

/** One segment or more, none of them empty or of dots; only the well-known one begins with a dot. */
const PREFIX = /^(?:\/(?:\.well-known|[\w-][\w.-]*))+$/;

/** A place that no set can have. */
export interface TakenPrefix extends Pick<RouteSet, 'name' | 'prefix'> {
  /** Whatever begins like it is taken too, also without a slash in between. */
  readonly isWide?: boolean;
}

/** Finds the set that a URL belongs to. */
export type RouteTable = (url: string) => RouteSet | undefined;

/**
 * Orders the sets; throws when two of them want the same place, when one wants what the server itself answers, and
 * when a prefix is none.
 */
export function createRouteTable(sets: readonly RouteSet[], taken: readonly TakenPrefix[] = []): RouteTable {
  const owners = new Map<string, string>();
  for (const { name, prefix } of sets) {
    if (!PREFIX.test(prefix))
      throw new Error(`"${name}" wants the prefix "${prefix}". A prefix looks like /notes or /api/notes.`);
    const owner = owners.get(prefix) ?? taken.find((other) => isTaken(prefix, other))?.name;
    if (owner !== undefined)
      throw new Error(`"${owner}" and "${name}" both want ${prefix}. Give one of them another prefix.`);
    owners.set(prefix, name);
  }
  const longestFirst = sets.toSorted((left, right) => right.prefix.length - left.prefix.length);
  return (url) => longestFirst.find(({ prefix }) => isUnder(url, prefix));
}

/** True for the prefix itself, with or without a query, and for every path below it. */
function isUnder(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false;
  const next = url[prefix.length];
  return next === undefined || next === '/' || next === '?';
}

function isTaken(prefix: string, taken: TakenPrefix): boolean {
  return taken.isWide === true ? prefix.startsWith(taken.prefix) : isUnder(prefix, taken.prefix);
}
