/** Every tool that somebody may call, wherever it is served: toolsets, connections and virtual MCPs. */
import { servedVirtualMcps } from '@parley/connections';
import type { Caller, CatalogTool, Engine, Hints } from '@parley/kit';
import { hintsOf } from '@parley/kit';
import type { ConsoleParts } from './index.ts';

/** A tool at the endpoint that has it. */
export interface ShownTool {
  readonly endpoint: string;
  readonly endpointTitle: string;
  readonly source: 'toolset' | 'connection' | 'virtual';
  readonly tool: CatalogTool;
}

/** What stands after `/mcp/`. */
interface Endpoint {
  readonly name: string;
  readonly title: string;
  readonly source: ShownTool['source'];
}

const VIRTUAL = 'virtual-mcp/';

/** The tools of all endpoints, or of one. */
export async function toolsFor(
  parts: Pick<ConsoleParts, 'host' | 'gateway'>,
  caller: Caller,
  wanted?: string,
): Promise<ShownTool[]> {
  const engine = parts.host.engine();
  await engine.ready(caller);
  await engine.settled(caller);
  const all = [...ownEndpoints(engine, caller), ...(await virtualEndpoints(parts, caller))];
  const some = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  const lists = await Promise.all(some.map((endpoint) => toolsAt(parts, caller, endpoint)));
  return lists.flat();
}

function ownEndpoints(engine: Engine, caller: Caller): Endpoint[] {
  const common = new Set(engine.common.toolsets.map(({ name }) => name));
  return engine.catalogFor(caller).toolsets.map(({ name, title }) => ({
    name,
    title,
    source: common.has(name) ? 'toolset' : 'connection',
  }));
}

async function virtualEndpoints(
  { host }: Pick<ConsoleParts, 'host'>,
  { organizationId }: Caller,
): Promise<Endpoint[]> {
  const { byId } = await servedVirtualMcps(host.store, organizationId);
  return [...byId.values()].map(({ id, title }) => ({ name: `${VIRTUAL}${id}`, title, source: 'virtual' }));
}

async function toolsAt(
  { gateway }: Pick<ConsoleParts, 'gateway'>,
  caller: Caller,
  { name: endpoint, title: endpointTitle, source }: Endpoint,
): Promise<ShownTool[]> {
  const engine = await engineOrNothing(gateway, endpoint, caller);
  if (engine === undefined) return [];
  await engine.ready(caller);
  const tools = engine.view(caller).listedTools(caller);
  return tools.map((tool) => ({ endpoint, endpointTitle, source, tool }));
}

/** An endpoint that is switched off has nothing, which is no fault of whoever lists all of them. */
async function engineOrNothing(
  gateway: ConsoleParts['gateway'],
  endpoint: string,
  caller: Caller,
): Promise<Engine | undefined> {
  try {
    return await gateway.engineAt(endpoint, caller);
  } catch {
    return undefined;
  }
}

// A model reads about this many bytes of JSON for one token.
const BYTES_PER_TOKEN = 4;

/** What a model pays for knowing of a tool. */
export function tokensOf({ json }: Pick<CatalogTool, 'json'>): number {
  return Math.ceil(Buffer.byteLength(json) / BYTES_PER_TOKEN);
}

/** The four hints as a client gets them. */
export function shownHints({ definition, effect, external }: CatalogTool): Hints {
  const own = hintsOf(effect, external);
  const { readOnlyHint = own.readOnlyHint, destructiveHint = own.destructiveHint } =
    definition.annotations ?? {};
  const { idempotentHint = own.idempotentHint, openWorldHint = own.openWorldHint } =
    definition.annotations ?? {};
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}
