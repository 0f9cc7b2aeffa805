/** What the management tools stand on: one service for each noun. */
import type { MeshHost } from '../toolset.ts';
import type { ApiKeys } from './api-keys.ts';
import { createApiKeys } from './api-keys.ts';
import type { Members } from './members.ts';
import { createMembers } from './members.ts';
import type { Organizations } from './organizations.ts';
import { createOrganizations } from './organizations.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';
import { createReach } from './reach.ts';

export interface MeshServices {
  readonly apiKeys: ApiKeys;
  readonly members: Members;
  readonly organizations: Organizations;
  readonly people: People;
}

/** Builds the services over the base of this process. */
export function createMeshServices(host: Pick<MeshHost, 'store' | 'identity'>): MeshServices {
  const { identity } = host;
  const reach = createReach(identity);
  // The connection of the organization itself is there before any other.
  const hasConnection = async (organizationId: string, id: string) => id === `${organizationId}_self`;
  return {
    apiKeys: createApiKeys(identity, hasConnection),
    members: createMembers(identity, reach),
    organizations: createOrganizations(identity, reach),
    people: createPeople(identity),
  };
}
