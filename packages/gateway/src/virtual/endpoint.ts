/** `/mcp/virtual-mcp/<id>?mode=`: from the URL to a virtual MCP in one of its modes. */
import { HttpRefusal } from '@parley/http';
import type { Caller, Engine } from '@parley/kit';
import { RPC } from '@parley/kit';
import type { Mode } from './modes.ts';
import { MODES } from './modes.ts';
import type { FoundVirtual, VirtualMcpEngines } from './registry.ts';

/** Where virtual MCPs are served, below the root of all. */
export const VIRTUAL_PATH = 'virtual-mcp/';

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** What is served under the rest of the path; undefined: nothing, whoever it may belong to. */
export function virtualEndpoint(
  virtual: VirtualMcpEngines,
  caller: Caller,
  { id, query }: { readonly id: string; readonly query: string },
): Engine | undefined | Promise<Engine | undefined> {
  if (!ID.test(id)) return undefined;
  // An unknown mode of what is not there is not there either.
  const mode = modeIn(query);
  const found = virtual.find(caller, id, mode ?? 'passthrough');
  const engine = (there: FoundVirtual | undefined) => there && served(there, mode);
  return found instanceof Promise ? found.then(engine) : engine(found);
}

/** What is served for the id of a connection that stands for a virtual MCP. */
export async function standInEndpoint(
  virtual: VirtualMcpEngines,
  caller: Caller,
  id: string,
): Promise<Engine | undefined> {
  const found = ID.test(id) ? await virtual.standIn(caller, id) : undefined;
  return found && served(found, 'passthrough');
}

function served({ isActive, engine }: FoundVirtual, mode: Mode | undefined): Engine {
  if (mode === undefined) {
    throw new HttpRefusal(400, `The mode must be one of ${MODES.join(', ')}.`, { rpc: RPC.invalidRequest });
  }
  if (isActive) return engine;
  throw new HttpRefusal(503, 'This virtual MCP is inactive. Whoever keeps it can set its status to active.');
}

/** The mode that a query asks for; undefined: none that there is. */
function modeIn(query: string): Mode | undefined {
  if (query === '') return 'passthrough';
  const [wanted = 'passthrough', ...more] = new URLSearchParams(query).getAll('mode');
  return more.length > 0 ? undefined : MODES.find((mode) => mode === wanted);
}
