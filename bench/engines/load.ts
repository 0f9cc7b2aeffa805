/** Owns loading what only these programs need; it is installed beside them and no dependency of the workspace. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = createRequire(import.meta.url);

/** Loads a package as the narrow part of it that the caller names. */
export function load<T>(name: string): T {
  // the packages are not at hand when types are checked, so each adapter says what it uses
  return here(name) as T;
}

/** Loads a file of a package that it does not export. */
export function loadInner<T>(name: string, file: string): T {
  return here(join(folderOf(name), file)) as T;
}

/** The manifest of a package. */
export function manifestOf(name: string): { version: string; dependencies?: Record<string, string> } {
  return here(join(folderOf(name), 'package.json')) as ReturnType<typeof manifestOf>;
}

function folderOf(name: string): string {
  const [paths] = here.resolve.paths(name) ?? [];
  return join(paths ?? dirname(import.meta.filename), name);
}
