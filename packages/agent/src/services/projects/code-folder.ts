/** Where the code of a project may lie: real folders below what the operator named, and never the data of the server. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import { ToolError } from '@parley/kit';

const MAX_PATH = 4096;

/** Says which folders may be the code of a project. */
export interface CodeFolders {
  /** The real path of a folder; throws when it may not be the code of a project. */
  allowed(folder: string): Promise<string>;
  /** The same for a folder that was allowed once; undefined when it is not any more. */
  stillAllowed(folder: string): Promise<string | undefined>;
  /** True for a path below a root of this process, whether or not there is a folder. */
  reaches(folder: string): Promise<boolean>;
}

/** True for a path that is the folder or lies below it; both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

export function createCodeFolders(roots: readonly string[], dataDir: string): CodeFolders {
  const refused = () =>
    new ToolError(
      'invalid',
      'folder: must be a folder below one of those that --project-root names, and not in the data folder',
    );
  const reaches = async (path: string): Promise<boolean> => {
    for (const root of roots) {
      const realRoot = await realFolder(root);
      if (realRoot !== undefined && isWithin(path, realRoot)) return true;
    }
    return false;
  };
  const found = async (folder: string): Promise<string | undefined> => {
    const real = await realFolder(folder);
    if (real === undefined) return undefined;
    const data = await realFolder(dataDir);
    if (data !== undefined && isWithin(real, data)) return undefined;
    return (await reaches(real)) ? real : undefined;
  };
  return {
    async allowed(folder) {
      if (roots.length === 0)
        throw new ToolError(
          'unavailable',
          'This process was told of no folder for code. Start it with --project-root DIR (or PARLEY_PROJECT_ROOT), a server and a command beside it alike.',
        );
      if (!isAbsolute(folder) || folder.length > MAX_PATH || folder.includes('\0')) throw refused();
      const real = await found(folder);
      if (real === undefined) throw refused();
      return real;
    },
    stillAllowed: found,
    reaches,
  };
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    // Whether it is absent, unreadable or no folder: it cannot be used.
    return undefined;
  }
}
