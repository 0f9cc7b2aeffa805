/** The titles of what was called: toolsets are known to the engine, connections and virtual MCPs are rows. */
import { briefConnections } from '@parley/connections';
import type { Engine } from '@parley/kit';
import type { Store } from '@parley/store';

/** Titles of an organization's toolsets, connections and virtual MCPs, by these names; what is gone has none. */
export type TitlesOf = (
  organizationId: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export function createTitles({
  store,
  engine,
}: {
  readonly store: Store;
  readonly engine?: (() => Engine) | undefined;
}): TitlesOf {
  return async (organizationId, names) => {
    const wanted = new Set(names);
    const toolsets = engine?.().catalogFor({ organizationId }).toolsets ?? [];
    const known = toolsets.flatMap(({ name, title }) => (wanted.has(name) ? [[name, title] as const] : []));
    const found = new Map<string, string>(known);
    const rest = [...wanted].filter((name) => name !== '' && !found.has(name));
    for (const { id, title } of await briefConnections(store, organizationId, rest)) found.set(id, title);
    return found;
  };
}
