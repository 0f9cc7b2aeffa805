/** Tools on the members of an organization. */
import * as z from 'zod';
import { GUARDS } from '../guards.ts';
import { defineTool } from './define-tool.ts';
import { acting, Id, memberFields, membershipFields, shownMember } from './fields.ts';

const organizationId = Id.optional().describe('Yours by default');
const role = z
  .array(z.string().min(1).max(64))
  .min(1)
  .max(20)
  .describe('owner, admin, member, user, or custom roles');

export const organizationMemberList = defineTool({
  name: 'ORGANIZATION_MEMBER_LIST',
  title: 'List Members',
  description: 'Members of your organization, the oldest first.',
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).max(1_000_000).default(0),
  }),
  output: z.object({ members: z.array(z.object(memberFields)) }),
  run: async (page, { services, caller: { organizationId: id } }) => ({
    members: (await services.members.list(id, page)).map((member) => shownMember(id, member)),
  }),
});

export const organizationMemberAdd = defineTool({
  name: 'ORGANIZATION_MEMBER_ADD',
  title: 'Add Member',
  description: 'Adds a user you share an organization with; a member stays as they are.',
  effect: 'update',
  ...GUARDS.ORGANIZATION_MEMBER_ADD,
  input: z.object({ organizationId, userId: Id, role }),
  output: z.object({ ...membershipFields, createdAt: z.string() }),
  async run({ role: roles, ...input }, context) {
    const added = await context.services.members.add(acting(context), { ...input, roles });
    const { user: _user, ...membership } = shownMember(added.organizationId, added.member);
    return membership;
  },
});

export const organizationMemberUpdateRole = defineTool({
  name: 'ORGANIZATION_MEMBER_UPDATE_ROLE',
  title: 'Update Member Role',
  description: 'Replaces the roles of a member by such as you hold yourself.',
  effect: 'update',
  ...GUARDS.ORGANIZATION_MEMBER_UPDATE_ROLE,
  input: z.object({ organizationId, memberId: Id, role }),
  output: z.object({ ...membershipFields, user: memberFields.user }),
  async run({ role: roles, ...input }, context) {
    const changed = await context.services.members.setRoles(acting(context), { ...input, roles });
    const { createdAt: _createdAt, ...member } = shownMember(changed.organizationId, changed.member);
    return member;
  },
});

export const organizationMemberRemove = defineTool({
  name: 'ORGANIZATION_MEMBER_REMOVE',
  title: 'Remove Member',
  description: 'Takes somebody out of the organization; their keys in it stop at once.',
  effect: 'delete',
  ...GUARDS.ORGANIZATION_MEMBER_REMOVE,
  input: z.object({
    organizationId,
    memberIdOrEmail: z.string().min(1).max(254).describe('Id of the member, or their e-mail'),
  }),
  output: z.object({ success: z.boolean(), memberIdOrEmail: z.string(), removed: z.boolean() }),
  run: async (input, context) => ({
    success: true,
    memberIdOrEmail: input.memberIdOrEmail,
    removed: await context.services.members.remove(acting(context), input),
  }),
});
