/** Which set of routes has a path: the one with the longest prefix, and never two. */
import type { RouteSet } from './route-set.ts';

/** Finds the set that a URL belongs to. */
export type RouteTable = (url: string) => RouteSet | undefined;

/** Orders the sets; throws when two of them, or one of them and a taken prefix, want the same place. */
export function createRouteTable(
  sets: readonly RouteSet[],
  taken: readonly Pick<RouteSet, 'name' | 'prefix'>[] = [],
): RouteTable {
  const owners = new Map(taken.map(({ name, prefix }) => [prefix, name]));
  for (const { name, prefix } of sets) {
    const owner = owners.get(prefix);
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
