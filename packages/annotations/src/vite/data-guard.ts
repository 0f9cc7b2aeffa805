/** Owns that a dev server, which serves any file below its root, serves none of the data folder. */
import { resolve, sep } from 'node:path';
import type { Project } from './options.ts';

/** Tells whether a file lies in a folder; upper and lower case count as one, as on many disks. */
export function isInside(folder: string, file: string): boolean {
  return `${file.toLowerCase()}${sep}`.startsWith(`${folder.toLowerCase()}${sep}`);
}

/** Tells whether a requested URL could lead to a file of the data folder. */
export function asksForData(url: string, { served, base, publicDir, dataDir }: Project): boolean {
  const path = decoded(url.split(/[?#]/, 1)[0] ?? '');
  if (path === undefined) return true;
  return [path, path.startsWith(base) ? path.slice(base.length - 1) : path].some((asked) => {
    const [, absolute] = /^\/@(?:fs|id)\/+(.*)$/s.exec(asked) ?? [];
    const files =
      absolute === undefined
        ? [resolve(served, `.${asked}`), resolve(publicDir, `.${asked}`)]
        : [resolve('/', absolute), resolve(served, absolute)];
    return files.some((file) => isInside(dataDir, file));
  });
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
