/** Owns reading the exports map of a package: which file stands behind each public path. */
import { posix } from 'node:path';
import type { WorkspacePackage } from './source-tree.ts';

/** A public path of a package, such as `./testing`, and the file behind it, from the root. */
export interface Entry {
  subpath: string;
  path: string;
}

/** Lists the entries of a package; a path with conditions stands for its source file. */
export function entriesOf(owner: WorkspacePackage): Entry[] {
  return Object.entries(owner.manifest.exports ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([subpath, target]) => {
      const targets = targetsOf(target);
      const chosen = targets.find((path) => path.startsWith('./src/')) ?? targets[0];
      return chosen === undefined ? [] : [{ subpath, path: posix.join(owner.folder, chosen) }];
    });
}

function targetsOf(target: unknown): string[] {
  if (typeof target === 'string') return [target];
  return typeof target === 'object' && target !== null ? Object.values(target).flatMap(targetsOf) : [];
}
