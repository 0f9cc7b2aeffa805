/** Owns building a path from outside values without letting them leave the base. */
import { invalid } from './errors.ts';
import { parseUrl } from './target.ts';

// an escaped dot, slash, backslash, control character or overlong byte, under any number of further encodings
const HIDDEN_ESCAPE = /%(?:25)*(?:2e|2f|5c|7f|[01][0-9a-f]|c[01]|u[0-9a-f]{4})/i;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL_OR_BACKSLASH = /[\u0000-\u001f\u007f\\]/;

/**
 * Appends segments to the path of a base address; each segment is encoded as one path part.
 * Query and fragment of the base are left out.
 *
 * @example
 * joinPath("https://api.example.com/v1", "repos", "a b").href; // https://api.example.com/v1/repos/a%20b
 */
export function joinPath(base: URL | string, ...segments: (string | number)[]): URL {
  const root = parseUrl(base);
  const prefix = root.pathname.endsWith('/') ? root.pathname : `${root.pathname}/`;
  const path = segments.length === 0 ? root.pathname : prefix + segments.map(encodePathPart).join('/');
  const url = new URL(path, root.origin);
  if (url.origin !== root.origin || url.pathname !== path) throw leavesBase();
  return url;
}

/** One part of a path, encoded; throws for what some server may take for a way out of its place. */
export function encodePathPart(value: string | number): string {
  const segment = String(value);
  if (segment === '') throw invalid('A path part is empty. Give every part of the path a value.');
  if (CONTROL_OR_BACKSLASH.test(segment) || HIDDEN_ESCAPE.test(segment)) throw leavesBase();
  // look-alike dots and slashes are judged as what a lenient server may make of them
  const parts = segment.normalize('NFKC').split(/[/\\]/);
  if (parts.some(isTraversal)) throw leavesBase();
  try {
    return encodeURIComponent(segment);
  } catch {
    throw invalid('A path part is not valid text. Remove the broken characters.');
  }
}

function isTraversal(part: string): boolean {
  // some servers cut everything from the semicolon on before they read the dots
  const name = (part.split(';')[0] ?? '').trim();
  return name === '.' || name === '..';
}

function leavesBase() {
  return invalid(
    'A path part would lead outside its base. Use plain values without dots-only parts or escapes.',
  );
}
