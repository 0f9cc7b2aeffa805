/** Which types of events a pattern may have meant: those that differ from it by a few letters. */
import { patternsOf } from '@parley/events';

const MOST_NAMED = 3;

/** Patterns for known types that look like the one given; undefined when that matches a known type itself. */
export function nearTypes(pattern: string, types: Iterable<string>): string[] | undefined {
  const known = new Set([...types].flatMap(patternsOf));
  if (known.has(pattern)) return undefined;
  const most = Math.max(2, Math.floor(pattern.length / 4));
  return [...known]
    .map((type) => ({ type, distance: distanceOf(pattern, type) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST_NAMED)
    .map(({ type }) => type);
}

/** How many letters have to be put in, taken away or changed. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const changed = (row[at - 1] ?? 0) + (from[index] === to[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
