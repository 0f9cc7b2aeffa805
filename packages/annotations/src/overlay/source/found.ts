/** Owns what a framework tells about the component behind an element. */

/** The frameworks whose development builds can be read. */
export type Framework = 'react' | 'vue' | 'svelte' | 'angular' | 'none';

/** One component, as far as the framework tells. */
export interface FoundComponent {
  readonly name?: string;
  /** Ancestors, root first. */
  readonly tree?: readonly string[];
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** `path:line:col`, or the path alone. */
  readonly source?: string;
  readonly template?: string;
}

/** Reads the component behind an element; null when the framework does not own it. */
export type ReadComponent = (element: Element) => FoundComponent | null;

/** The attribute in which a dev server writes `path:line:col` of an element. */
export const SOURCE_ATTRIBUTE = 'data-parley-src';

/** The place that the dev server wrote on this very element; an ancestor's is another element's place. */
export function ownMark(element: Element): string | undefined {
  return element.getAttribute(SOURCE_ATTRIBUTE) || undefined;
}

/** How a dev server's addresses become paths of the project. */
export interface SourcePaths {
  /** What stands before every path of an address. */
  readonly base: string;
  /** What stands before every path in the project. */
  readonly prefix: string;
}

/** Walks outwards from an element until a framework's mark is found on one. */
export function nearest<T>(element: Element, read: (at: Element) => T | undefined): T | undefined {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const found = read(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A property that a framework put on an element, which no type knows. */
export function mark(element: object, name: string): unknown {
  return (element as Record<string, unknown>)[name]; // read by name
}

/** `path:line:col` out of what is known; the column counts from 1. */
export function place(file: string, line?: number, column?: number): string {
  const path = file
    .replace(/^[a-z]+:\/\/[^/]+\//i, '')
    .replace(/[?#].*$/, '')
    .replaceAll('\\', '/');
  if (line === undefined) return path;
  return `${path}:${line}:${column ?? 1}`;
}
