/** What the management tools stand on: one service for each noun. */
import type { Connections, VirtualMcps, VirtualTools } from '@parley/connections';
import { createConnections, createVirtualMcps, createVirtualTools } from '@parley/connections';
import type { MeshHost } from '../toolset.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';

export interface MeshServices {
  readonly people: People;
  readonly connections: Connections;
  readonly virtualMcps: VirtualMcps;
  readonly virtualTools: VirtualTools;
}

/** Builds the services over the base of this process. */
export function createMeshServices(
  host: Pick<MeshHost, 'store' | 'identity' | 'events' | 'upstream' | 'checkCode'>,
): MeshServices {
  const { store, events, upstream, checkCode } = host;
  const base = { store, events, upstream, checkCode, now: Date.now };
  return {
    people: createPeople(host.identity),
    connections: createConnections(base),
    virtualMcps: createVirtualMcps(base),
    virtualTools: createVirtualTools(base),
  };
}
