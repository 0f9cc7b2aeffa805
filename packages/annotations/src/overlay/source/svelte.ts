/** Owns reading Svelte components from the locations that development builds put on elements. */
import type { ReadComponent } from './found.ts';
import { mark, nearest, place } from './found.ts';

interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Only versions up to 4 give it; they count lines from 0. */
  readonly char?: number;
}

interface Meta {
  readonly loc?: Location;
  readonly parent?: {
    readonly file?: string;
    readonly componentTag?: string;
    readonly parent?: Meta['parent'];
  };
}

/** Reads name, ancestors and the place of the element. */
export const readSvelte: ReadComponent = (element) => {
  const meta = nearest(element, (at) => mark(at, '__svelte_meta') as Meta | undefined); // what Svelte puts there
  if (meta?.loc === undefined) return null;
  const { file, line, column, char } = meta.loc;
  const tree: string[] = [];
  for (let at = meta.parent; at; at = at.parent) {
    if (at.componentTag !== undefined) tree.unshift(at.componentTag);
  }
  const name = /([^/\\]+)\.svelte/.exec(file)?.[1];
  return {
    ...(name !== undefined && { name }),
    tree: tree.filter((tag, index) => index < tree.length - 1 || tag !== name),
    source: place(file, char === undefined ? line : line + 1, column + 1),
  };
};
