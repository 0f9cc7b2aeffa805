/** The projects of an organization for whoever only has to know which there are. */
import type { Store } from '@parley/store';
import type { MeshTables } from '../schema.ts';

/** A project in short. */
export interface ListedProject {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface ProjectDirectory {
  /** The oldest first. */
  list(organizationId: string): Promise<ListedProject[]>;
  get(organizationId: string, id: string): Promise<ListedProject | undefined>;
}

export function createProjectDirectory(store: Store): ProjectDirectory {
  const inOrganization = (organizationId: string) =>
    store
      .db<MeshTables>()
      .selectFrom('projects')
      .select(['id', 'name', 'description'])
      .where('organization_id', '=', organizationId);
  return {
    list: (organizationId) => inOrganization(organizationId).orderBy('created_at').orderBy('id').execute(),
    get: (organizationId, id) => inOrganization(organizationId).where('id', '=', id).executeTakeFirst(),
  };
}
