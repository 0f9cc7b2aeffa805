/** From a path to what stands there: Hono's trie of path segments, loaded by the first request that asks. */
import { unkeepableText } from '@parley/kit';
import { HttpRefusal } from '../refusal.ts';

const EMPTY_SEGMENT = /\/(?:\/|$)/;

/** What stands at a path, with the values of its parameters. */
export interface Found<Entry> {
  readonly entry: Entry;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds entries by path; a fixed segment comes before a parameter. */
export type Paths<Entry> = (path: string) => Promise<Found<Entry> | undefined>;

/** Takes patterns like `/posts/:id`; throws when two of them are one path with two names. */
export function createPaths<Entry>(entries: ReadonlyMap<string, Entry>): Paths<Entry> {
  const shapes = new Map<string, string>();
  for (const pattern of entries.keys()) {
    const shape = pattern.replaceAll(/:[^/]+/g, ':');
    const other = shapes.get(shape);
    if (other !== undefined)
      throw new Error(`${other} and ${pattern} are one path with two names. Use one of them.`);
    shapes.set(shape, pattern);
  }
  let loading: Promise<(path: string) => Found<Entry> | undefined> | undefined;
  return async (path) => (await (loading ??= build(entries)))(path);
}

async function build<Entry>(entries: ReadonlyMap<string, Entry>) {
  const { TrieRouter } = await import('hono/router/trie-router');
  const router = new TrieRouter<readonly [pattern: string, entry: Entry]>();
  // The router answers in the order of the table, so what is more definite goes first.
  for (const item of [...entries].toSorted(([left], [right]) => byFixedSegments(left, right)))
    router.add('ALL', item[0], item);
  return (below: string): Found<Entry> | undefined => {
    // The prefix alone is its root.
    const path = below === '' ? '/' : below;
    // The router does not tell an empty segment, or a slash at the end, from none.
    if (path !== '/' && EMPTY_SEGMENT.test(path)) return undefined;
    const [[found]] = router.match('ALL', path);
    if (found === undefined) return undefined;
    const [pattern, entry] = found[0];
    return { entry, params: paramsOf(pattern, path) };
  };
}

/** By length, since only patterns of one length have a path in common; among those, a fixed segment from the left. */
function byFixedSegments(left: string, right: string): number {
  const [ours, theirs] = [rankOf(left), rankOf(right)];
  return ours.length - theirs.length || Number(ours > theirs) - Number(ours < theirs);
}

function rankOf(pattern: string): string {
  return segmentsOf(pattern)
    .map((segment) => (isName(segment) ? '1' : '0'))
    .join('');
}

/** Read from the path itself: the router takes a segment that is written like a parameter for a fixed one. */
function paramsOf(pattern: string, path: string): Record<string, string> {
  const values = segmentsOf(path);
  return Object.fromEntries(
    segmentsOf(pattern).flatMap((segment, at) =>
      isName(segment) ? [[segment.slice(1), decoded(values[at] ?? '', segment.slice(1))]] : [],
    ),
  );
}

/** The names after colons in a pattern. */
export function namesIn(pattern: string): string[] {
  return segmentsOf(pattern).flatMap((segment) => (isName(segment) ? [segment.slice(1)] : []));
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function isName(segment: string): boolean {
  return segment.startsWith(':');
}

function decoded(segment: string, name: string): string {
  const text = withoutCode(segment);
  const rule = unkeepableText(text);
  if (rule === undefined) return text;
  throw new HttpRefusal('BAD_REQUEST', `${name}: ${rule}`, { details: { errors: { [name]: [rule] } } });
}

function withoutCode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpRefusal('BAD_REQUEST', 'The path holds a percent sign that is no valid encoding.');
  }
}
