/** Paths of operations: read once, then filled in such a way that no value leads out of its place. */
import { BadArguments, Unsupported } from './service.ts';

/** A part of a path between slashes: literal text, and names of inputs. */
export type Segment = readonly (string | { readonly name: string })[];

// What stands in a path as it is; an escape is written by the filling alone.
const LITERAL = /^[A-Za-z0-9\-._~!$&'()*+,;=:@]*$/;

/** Reads the path of a document; throws what no request can be made of. */
export function segmentsOf(path: string): readonly Segment[] {
  if (!path.startsWith('/')) throw new Unsupported('Its path does not begin with a slash.');
  const segments = path.slice(1).split('/').map(segmentOf);
  const isDots = (segment: Segment) => segment.every((part) => part === '.' || part === '..');
  if (segments.some((segment) => segment.length > 0 && isDots(segment)))
    throw new Unsupported('Its path has a part that leads out of its place.');
  return segments;
}

function segmentOf(text: string): Segment {
  const parts: (string | { name: string })[] = [];
  const [first = '', ...rest] = text.split('{');
  if (first !== '') parts.push(literal(first));
  for (const part of rest) {
    const end = part.indexOf('}');
    const name = part.slice(0, end);
    if (end < 1) throw new Unsupported('Its path has braces that do not match.');
    parts.push({ name });
    if (end + 1 < part.length) parts.push(literal(part.slice(end + 1)));
  }
  return parts;
}

function literal(text: string): string {
  if (!LITERAL.test(text))
    throw new Unsupported('Its path has characters that a path cannot have, such as ? or %.');
  return text;
}

/** The names of the inputs in a path. */
export function namesIn(segments: readonly Segment[]): string[] {
  return segments.flat().flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
}

/**
 * The address of a request. Each value was encoded on its own; the whole is looked at again, so that a service never
 * gets a request for another place than its document names.
 */
export function filledPath(
  base: string,
  segments: readonly Segment[],
  values: ReadonlyMap<string, string>,
): URL {
  const { origin, pathname } = new URL(base);
  const prefix = pathname.endsWith('/') ? pathname : `${pathname}/`;
  const filled = segments.map((segment) =>
    segment.map((part) => (typeof part === 'string' ? part : (values.get(part.name) ?? ''))).join(''),
  );
  const path = prefix + filled.join('/');
  const url = new URL(origin + path);
  const isThere = url.origin === origin && url.pathname === path && url.search === '' && url.hash === '';
  if (!isThere || filled.some((part) => part.includes('/')))
    throw new BadArguments('A value would lead the request to another place. Use plain values.');
  return url;
}
