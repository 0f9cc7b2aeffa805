/** What the management tools stand on: one service for each noun. */
import type { MeshHost } from '../toolset.ts';
import type { Monitoring } from './monitoring/index.ts';
import { createMonitoring } from './monitoring/index.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';

export interface MeshServices {
  readonly people: People;
  readonly monitoring: Monitoring;
}

/** Builds the services over the base of this process. */
export function createMeshServices(
  host: Pick<MeshHost, 'store' | 'identity'> & Partial<Pick<MeshHost, 'engine'>>,
): MeshServices {
  return { people: createPeople(host.identity), monitoring: createMonitoring(host) };
}
