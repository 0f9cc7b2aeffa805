/** Tools on organizations and their settings. */
import type { OrganizationSettings } from '@parley/identity';
import * as z from 'zod';
import { GUARDS } from '../guards.ts';
import { defineTool } from './define-tool.ts';
import {
  acting,
  Id,
  invitationFields,
  isoTime,
  memberFields,
  organizationFields,
  shownInvitation,
  shownMember,
  shownOrganization,
} from './fields.ts';

const FIRST_MEMBERS = { limit: 100, offset: 0 };

const name = z.string().trim().min(1).max(255).describe('Name that people read');
const slug = z
  .string()
  .regex(/^[a-z0-9-]{1,50}$/, 'must have 1 to 50 lower-case letters, digits and dashes')
  .describe('Short name, unique on this server');
const description = z.string().max(1000);

export const organizationList = defineTool({
  name: 'ORGANIZATION_LIST',
  title: 'List Organizations',
  description: 'Organizations that you reach, or those of another user that you share.',
  effect: 'read',
  input: z.object({ userId: Id.optional().describe('Yourself by default') }),
  output: z.object({ organizations: z.array(z.object(organizationFields)) }),
  run: async ({ userId }, { services, caller }) => ({
    organizations: (await services.organizations.list(caller, userId)).map(shownOrganization),
  }),
});

export const organizationGet = defineTool({
  name: 'ORGANIZATION_GET',
  title: 'Get Organization',
  description: 'Your organization with its first 100 members and the open invitations.',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    ...organizationFields,
    members: z.array(z.object(memberFields)),
    invitations: z.array(z.object(invitationFields)),
  }),
  async run(_input, { services, caller }) {
    const { organizationId } = caller;
    const { organization, invitations } = await services.organizations.own(caller);
    const members = await services.members.list(organizationId, FIRST_MEMBERS);
    return {
      ...shownOrganization(organization),
      members: members.map((member) => shownMember(organizationId, member)),
      invitations: invitations.map(shownInvitation),
    };
  },
});

export const organizationCreate = defineTool({
  name: 'ORGANIZATION_CREATE',
  title: 'Create Organization',
  description: 'Makes an organization with you as its owner.',
  effect: 'create',
  input: z.object({ slug, name, description: description.optional() }),
  output: z.object({ ...organizationFields, members: z.array(z.object(memberFields)) }),
  async run(input, context) {
    const { organizations, members } = context.services;
    const organization = await organizations.create(acting(context), input);
    const people = await members.list(organization.id, FIRST_MEMBERS);
    return {
      ...shownOrganization(organization),
      members: people.map((member) => shownMember(organization.id, member)),
    };
  },
});

export const organizationUpdate = defineTool({
  name: 'ORGANIZATION_UPDATE',
  title: 'Update Organization',
  description: 'Changes the name, slug or description; what is absent stays.',
  effect: 'update',
  ...GUARDS.ORGANIZATION_UPDATE,
  input: z.object({
    id: Id,
    slug: slug.optional(),
    name: name.optional(),
    description: description.nullable().optional(),
  }),
  output: z.object(organizationFields),
  run: async (input, context) =>
    shownOrganization(await context.services.organizations.update(acting(context), input)),
});

export const organizationDelete = defineTool({
  name: 'ORGANIZATION_DELETE',
  title: 'Delete Organization',
  description: 'Deletes an organization and everything in it, for good. Its keys stop at once.',
  effect: 'delete',
  ...GUARDS.ORGANIZATION_DELETE,
  input: z.object({ id: Id }),
  output: z.object({ success: z.boolean(), id: z.string(), deleted: z.boolean() }),
  run: async ({ id }, context) => ({
    success: true,
    id,
    deleted: await context.services.organizations.delete(acting(context), id),
  }),
});

const settingsFields = {
  organizationId: z.string(),
  sidebar_items: z.array(z.object({ title: z.string(), url: z.string(), icon: z.string() })).nullable(),
  enabled_plugins: z.array(z.string()).nullable(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
};

export const organizationSettingsGet = defineTool({
  name: 'ORGANIZATION_SETTINGS_GET',
  title: 'Get Organization Settings',
  description: 'Sidebar and plugins of your organization; null where nobody chose.',
  effect: 'read',
  input: z.object({}),
  output: z.object(settingsFields),
  run: async (_input, { services, caller }) => shownSettings(await services.organizations.settings(caller)),
});

export const organizationSettingsUpdate = defineTool({
  name: 'ORGANIZATION_SETTINGS_UPDATE',
  title: 'Update Organization Settings',
  description: 'Changes sidebar or plugins; what is absent stays, null clears.',
  effect: 'update',
  ...GUARDS.ORGANIZATION_SETTINGS_UPDATE,
  input: z.object({
    organizationId: Id,
    sidebar_items: z
      .array(
        z.object({
          title: z.string().min(1).max(100),
          url: z.string().min(1).max(2000).describe('A path, or an https address'),
          icon: z.string().max(200),
        }),
      )
      .max(100)
      .nullable()
      .optional()
      .describe('More lines of the sidebar'),
    enabled_plugins: z
      .array(z.string().min(1).max(100))
      .max(100)
      .nullable()
      .optional()
      .describe('Ids of plugins'),
  }),
  output: z.object(settingsFields),
  async run({ organizationId, sidebar_items, enabled_plugins }, context) {
    const change = { organizationId, sidebarItems: sidebar_items, enabledPlugins: enabled_plugins };
    return shownSettings(await context.services.organizations.saveSettings(acting(context), change));
  },
});

function shownSettings(settings: OrganizationSettings) {
  const { organizationId, sidebarItems, enabledPlugins, createdAt, updatedAt } = settings;
  return {
    organizationId,
    sidebar_items: sidebarItems && [...sidebarItems],
    enabled_plugins: enabledPlugins && [...enabledPlugins],
    ...(createdAt !== null && { createdAt: isoTime(createdAt) }),
    ...(updatedAt !== null && { updatedAt: isoTime(updatedAt) }),
  };
}
