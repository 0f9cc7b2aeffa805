/** What the management tools stand on: one service for each noun. */
import type { MeshHost } from '../toolset.ts';
import type { CodeExecution } from './code.ts';
import type { CallerDatabases } from './databases.ts';
import { createCallerDatabases, selfOnly } from './databases.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';

export interface MeshServices {
  readonly people: People;
  readonly code: CodeExecution;
  readonly databases: CallerDatabases;
}

/** Builds the services over the base of this process. */
export function createMeshServices(host: Pick<MeshHost, 'store' | 'identity' | 'sandbox'>): MeshServices {
  return {
    people: createPeople(host.identity),
    code: host.sandbox,
    databases: createCallerDatabases(host.store.databases, selfOnly),
  };
}
