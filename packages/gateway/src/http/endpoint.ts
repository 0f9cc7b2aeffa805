/** The fourth stage: from a URL and a caller to what is served there. */
import type { Caller, Engine } from '@parley/kit';
import { HttpRefusal } from '@parley/http';
import { keepRecent } from '../virtual/keep-recent.ts';
import { standInEndpoint, virtualEndpoint, VIRTUAL_PATH } from '../virtual/endpoint.ts';
import type { VirtualMcpEngines } from '../virtual/registry.ts';

/** Finds the engine behind a path, and the query after it, for a caller; undefined means there is nothing. */
export type EndpointOf = (
  path: string,
  caller: Caller,
  query?: string,
) => Engine | undefined | Promise<Engine | undefined>;

const ROOT = '/mcp';
/** What could be the id of a connection or virtual MCP. */
const NAMED = /^\/mcp\/(?:virtual-mcp\/)?[A-Za-z0-9_-]{1,64}$/;

/** What is there and switched off, by organization and name. */
export type IsInactive = (organizationId: string, toolset: string) => boolean;

/** What else decides about a URL. */
export interface EndpointOptions {
  readonly isInactive?: IsInactive | undefined;
  /** Looks for what another process has just made, of which this one has not heard yet. */
  readonly lookAgain?: ((organizationId: string) => Promise<void>) | undefined;
  readonly virtual?: VirtualMcpEngines | undefined;
}

/**
 * `/mcp` serves everything that the caller's organization has, `/mcp/<toolset>` one toolset of it, and
 * `/mcp/virtual-mcp/<id>` what it has put together itself.
 */
export function createEndpointOf(
  engine: Engine,
  { isInactive, lookAgain, virtual }: EndpointOptions = {},
): EndpointOf {
  const narrowed = new Map<string, { readonly one: Engine; readonly organizationId: string }>();

  function find(path: string, caller: Caller, query: string): ReturnType<EndpointOf> {
    if (path === ROOT) return engine;
    const name = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : '';
    if (virtual !== undefined && name.startsWith(VIRTUAL_PATH))
      return virtualEndpoint(virtual, caller, { id: name.slice(VIRTUAL_PATH.length), query });
    // Asked every time: what an organization has may come and go while the server runs.
    if (!engine.serves(caller, name)) {
      if (isInactive?.(caller.organizationId, name) === true)
        throw new HttpRefusal(503, 'This connection is switched off. Set its status to active first.');
      return virtual && standInEndpoint(virtual, caller, name);
    }
    const { organizationId } = caller;
    const one = narrowed.get(name)?.one ?? engine.narrow([name]);
    keepRecent(narrowed, name, { one, organizationId }, (old, asked) => !engine.serves(asked, old));
    return one;
  }

  /** Whoever has just been told of an id by another process is not told that there is nothing. */
  async function orLate(
    finding: ReturnType<EndpointOf>,
    path: string,
    caller: Caller,
    query: string,
  ): Promise<Engine | undefined> {
    const found = await finding;
    if (found !== undefined || !NAMED.test(path)) return found;
    virtual?.forget(caller.organizationId);
    await lookAgain?.(caller.organizationId);
    return find(path, caller, query);
  }

  return (path, caller, query = '') => {
    const loading = engine.ready(caller);
    const found =
      loading === undefined ? find(path, caller, query) : loading.then(() => find(path, caller, query));
    return found === undefined || found instanceof Promise ? orLate(found, path, caller, query) : found;
  };
}
