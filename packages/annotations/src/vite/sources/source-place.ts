/** Owns how a place in the project's sources is written: `path:line:col`, from the project root, counted from 1. */
import { relative } from 'node:path';

/** The attribute on a page's element that says where the element was written. */
export const SOURCE_ATTRIBUTE = 'data-parley-src';

/** The path of a module's file from the project root, with forward slashes and without Vite's query. */
export function projectPath(root: string, id: string): string {
  const [file = id] = id.split('?', 1);
  return relative(root, file).replaceAll('\\', '/');
}

/** Returns the `line:col` of offsets in a text. */
export function linesOf(text: string): (offset: number) => string {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    const line = next === -1 ? starts.length : next;
    return `${line}:${offset - (starts[line - 1] ?? 0) + 1}`;
  };
}
