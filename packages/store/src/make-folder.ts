/** Makes a folder that only its owner may enter, level by level: Node's own way never ends where no folder can be made. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes the folder and what is missing above it; one that is there stays as it is. */
export function makeFolder(path: string): void {
  try {
    makeLevel(resolve(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(
      `The folder ${path} cannot be made${code}. Name one in a place where this user may make folders.`,
      { cause: error },
    );
  }
}

function makeLevel(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeLevel(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
