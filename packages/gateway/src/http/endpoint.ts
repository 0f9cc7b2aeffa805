/** The third stage: from a URL to what is served there. */
import type { Engine } from '@parley/kit';

/** Finds the engine behind a path; undefined means there is nothing. */
export type Resolve = (path: string) => Engine | undefined;

const ROOT = '/mcp';

/** `/mcp` serves everything, `/mcp/<toolset>` one toolset. */
export function createResolve(engine: Engine): Resolve {
  const narrowed = new Map<string, Engine>();
  return (path) => {
    if (path === ROOT) return engine;
    const known = narrowed.get(path);
    if (known !== undefined) return known;
    const name = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : '';
    if (!engine.catalog.toolsets.some((toolset) => toolset.name === name)) return undefined;
    const one = engine.narrow([name]);
    narrowed.set(path, one);
    return one;
  };
}
