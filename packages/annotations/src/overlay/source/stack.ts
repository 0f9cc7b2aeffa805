/** Owns which source file a stack tells of; lines of a stack are those of the compiled module, so only the file is told. */
import type { SourcePaths } from './found.ts';
import { place } from './found.ts';

// What React was called from is not what made the element.
const BOTTOM = /react[-_]stack[-_]bottom[-_]frame/;
const FRAME = /(https?:\/\/[^\s()]+):\d+:\d+\)?$/;
const LIBRARY = /\/node_modules\/|[?&]v=[0-9a-f]{8}\b/;
const MAX_FRAME = 2_000;

/** The first file of the project's own code in a stack. */
export function fileOfStack(stack: string, paths: SourcePaths | undefined): string | undefined {
  for (const line of stack.split('\n')) {
    if (BOTTOM.test(line)) return undefined;
    const url = line.length > MAX_FRAME ? undefined : FRAME.exec(line)?.[1];
    const file = url === undefined || LIBRARY.test(url) ? undefined : fileOf(url, paths);
    if (file !== undefined) return file;
  }
  return undefined;
}

function fileOf(url: string, paths: SourcePaths | undefined): string | undefined {
  const path = `/${place(url)}`;
  const base = paths?.base ?? '/';
  const inside = path.startsWith(base) ? path.slice(base.length) : path.slice(1);
  // Files outside of the served folder come with their whole path.
  if (inside.startsWith('@fs/')) return inside.slice(/^@fs\/[a-z]:/i.test(inside) ? 4 : 3);
  if (inside.startsWith('@') || !isSourceFile(inside, paths)) return undefined;
  return `${paths?.prefix ?? ''}${inside}`;
}

// Other servers bundle, and the name of a bundle says nothing.
function isSourceFile(path: string, paths: SourcePaths | undefined): boolean {
  if (/\.(jsx|[mc]?tsx?|mdx?)$/.test(path)) return true;
  if (!/\.[mc]?js$/.test(path)) return false;
  return paths !== undefined || document.querySelector('script[src*="/@vite/client"]') !== null;
}
