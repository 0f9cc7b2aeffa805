/** Organizations, as the management tools see them. */
import type { Identity, Invitation, Organization, OrganizationSettings } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { mayAdminister, ToolError, isGranted } from '@parley/kit';
import { MANAGEMENT } from '../name.ts';
import type { Reach } from './reach.ts';

/** What shall be different of an organization; absent stays as it is. */
export interface OrganizationChange {
  readonly id: string;
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

/** What shall be different of its settings; absent stays as it is. */
export interface SettingsChange {
  readonly organizationId: string;
  readonly sidebarItems?: OrganizationSettings['sidebarItems'] | undefined;
  readonly enabledPlugins?: OrganizationSettings['enabledPlugins'] | undefined;
}

export interface Organizations {
  /** Of the caller, or those that another user shares with an owner or administrator. */
  list(caller: Caller, userId?: string): Promise<Organization[]>;
  own(caller: Caller): Promise<{ organization: Organization; invitations: Invitation[] }>;
  create(
    caller: Caller,
    input: { readonly slug: string; readonly name: string; readonly description?: string | undefined },
  ): Promise<Organization>;
  update(caller: Caller, change: OrganizationChange): Promise<Organization>;
  /** False when there was nothing to delete. */
  delete(caller: Caller, id: string): Promise<boolean>;
  settings(caller: Caller): Promise<OrganizationSettings>;
  saveSettings(caller: Caller, change: SettingsChange): Promise<OrganizationSettings>;
}

export function createOrganizations(identity: Identity, reach: Reach): Organizations {
  const { organizations, invitations } = identity;
  return {
    async list(caller, userId = caller.userId ?? '') {
      const reached = await reach.organizations(caller);
      if (userId === caller.userId) return reached;
      if (!mayAdminister(caller) || !isGranted(caller.grants, MANAGEMENT, '*'))
        throw new ToolError('forbidden', 'Only owners and administrators can ask about another user.');
      const theirs = new Set((await organizations.list(userId)).map(({ id }) => id));
      return reached.filter(({ id }) => theirs.has(id));
    },
    async own({ organizationId }) {
      const organization = orNotFound(await organizations.get(organizationId));
      return { organization, invitations: await invitations.list(organizationId) };
    },
    async create(caller, input) {
      const { userId } = caller;
      if (userId === null)
        throw new ToolError('forbidden', 'This caller has no user who could be its owner.');
      const made = await identity.createOrganization({ ...input, owner: { userId } }, caller);
      return orNotFound(await organizations.get(made.organizationId));
    },
    async update(caller, { id, ...change }) {
      return organizations.update(await reach.inside(caller, id, 'ORGANIZATION_UPDATE'), change);
    },
    async delete(caller, id) {
      if ((await organizations.callerIn(caller, id)) === undefined) return false;
      await organizations.delete(await reach.inside(caller, id, 'ORGANIZATION_DELETE'));
      return true;
    },
    settings: ({ organizationId }) => organizations.settings(organizationId),
    async saveSettings(caller, { organizationId, ...change }) {
      const there = await reach.inside(caller, organizationId, 'ORGANIZATION_SETTINGS_UPDATE');
      return organizations.saveSettings(there, change);
    },
  };
}

function orNotFound(organization: Organization | undefined): Organization {
  if (organization === undefined) throw new ToolError('not_found', 'No such organization.');
  return organization;
}
