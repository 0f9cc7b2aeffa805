/** Routes of people and what they may: invitations, roles, the keys of everybody, and how the console looks. */
import { created, flag, limitUpTo, nothing, one, whole } from '@parley/http/rest';
import type { Invitation, KeyInfo } from '@parley/identity';
import type { Grants } from '@parley/kit';
import { GivenId, mayAdminister, ToolError } from '@parley/kit';
import * as z from 'zod';
import { JOIN_PREFIX } from '../pages/join-routes.ts';
import { requireOwn } from './own-organization.ts';
import { defineRoute } from './route.ts';

const MAX_TOOLS = 500;
const GrantMap = z
  .record(z.string().min(1).max(64), z.array(z.string().min(1).max(128)).max(MAX_TOOLS))
  .refine((map) => Object.keys(map).length <= 100, 'must have at most 100 resources')
  .describe('Names of tools by resource; * for all');

const InvitationItem = z.object({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  expiresAt: z.string(),
  createdAt: z.string(),
});

const MemberItem = z.object({
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  roles: z.array(z.string()),
  createdAt: z.string(),
});

const MemberPage = z.object({ members: z.array(MemberItem), hasMore: z.boolean() });

const RoleItem = z.object({
  name: z.string(),
  isBuiltIn: z.boolean(),
  grants: GrantMap.describe('Of a role of your own, those besides what members have'),
  members: z.int(),
});

const KeyItem = z.object({
  id: z.string(),
  name: z.string(),
  start: z.string().describe('What its text begins with'),
  owner: z.object({ id: z.string(), name: z.string().nullable() }),
  isMine: z.boolean(),
  role: z.string().nullable().describe('The rank that it is narrowed to'),
  permissions: GrantMap,
  connectionId: z.string().nullable(),
  agentId: z.string().nullable(),
  state: z.enum(['active', 'expired', 'revoked']),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  createdAt: z.string(),
});

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

function shownInvitation({ id, email, roles, expiresAt, createdAt }: Invitation) {
  return { id, email, roles: [...roles], expiresAt: iso(expiresAt), createdAt: iso(createdAt) };
}

function shownGrants(grants: Grants): Record<string, string[]> {
  return Object.fromEntries(Object.entries(grants).map(([resource, names]) => [resource, [...names]]));
}

function stateOf({ revokedAt, expiresAt }: KeyInfo): z.output<typeof KeyItem>['state'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= Date.now() ? 'expired' : 'active';
}

function shownKey(key: KeyInfo, owner: string | null, isMine: boolean): z.output<typeof KeyItem> {
  const { id, name, publicId, userId, role, grants, connectionId, agentId } = key;
  return {
    id,
    name,
    start: publicId.includes('_') ? publicId : `parley_${publicId}`,
    owner: { id: userId, name: owner },
    isMine,
    role,
    permissions: shownGrants(grants),
    connectionId,
    agentId,
    state: stateOf(key),
    lastUsedAt: isoOrNull(key.lastUsedAt),
    expiresAt: isoOrNull(key.expiresAt),
    createdAt: iso(key.createdAt),
  };
}

const membersRoute = defineRoute({
  method: 'GET',
  path: '/:orgId/members',
  summary: 'Members, the oldest first unless it is said otherwise',
  who: 'team',
  grants: ['ORGANIZATION_MEMBER_LIST'],
  query: z.strictObject({
    text: z.string().min(1).max(200).optional().describe('A part of the name or the e-mail'),
    role: z.string().min(1).max(64).optional(),
    sort: z.enum(['name', 'joined']).optional().describe('joined when absent'),
    order: z.enum(['asc', 'desc']).optional().describe('asc when absent'),
    team: flag('true: without those who are visitors and nothing else'),
    id: GivenId.optional().describe('This one alone'),
    offset: z
      .string()
      .regex(/^\d{1,7}$/, 'must be a whole number')
      .transform(Number)
      .default(0)
      .meta({ type: 'integer', description: 'How many to leave out' }),
    limit: limitUpTo(500, 200),
  }),
  answer: one('MemberPage', MemberPage),
  async run({ identity, caller, params: { orgId }, query: { team, id, limit, ...query } }) {
    requireOwn(caller, orgId);
    const ids = id === undefined ? undefined : [id];
    const found = await identity.pageMembers(orgId, { ...query, ids, isTeam: team, limit: limit + 1 });
    const members = found.slice(0, limit).map(({ id, userId, name, email, roles, createdAt }) => ({
      id,
      userId,
      name,
      email,
      roles: [...roles],
      createdAt: iso(createdAt),
    }));
    return { members, hasMore: found.length > limit };
  },
});

const invitationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:orgId/invitations',
    summary: 'Invitations that can still be accepted, the newest first',
    who: 'team',
    grants: ['ORGANIZATION_GET'],
    answer: whole('Invitation', InvitationItem),
    async run({ identity, caller, params: { orgId } }) {
      requireOwn(caller, orgId);
      return (await identity.invitations.list(orgId)).map(shownInvitation);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:orgId/invitations',
    summary:
      'Invite somebody; the answer has the path of their link, which works once and is shown nowhere else',
    who: 'team',
    grants: ['ORGANIZATION_MEMBER_ADD'],
    isSensitive: true,
    hasSecret: true,
    body: z.strictObject({
      email: z.string().min(3).max(254),
      roles: z.array(z.string().min(1).max(64)).min(1).max(20).optional().describe('member when absent'),
    }),
    answer: created(
      'InvitationWithLink',
      InvitationItem.extend({ path: z.string().describe('Below the address of this server') }),
      ({ id }, { orgId }) => `/${orgId}/invitations/${id}`,
    ),
    async run({ identity, caller, params, body: { email, roles } }) {
      requireOwn(caller, params.orgId);
      const given = { email, ...(roles && { roles }) };
      const { invitation, token } = await identity.invitations.create(caller, given);
      return { ...shownInvitation(invitation), path: `${JOIN_PREFIX}/${token}` };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:orgId/invitations/:invitationId',
    summary: 'Take an open invitation back; its link stops working',
    who: 'team',
    grants: ['ORGANIZATION_MEMBER_REMOVE'],
    isSensitive: true,
    answer: nothing,
    async run({ identity, caller, params: { orgId, invitationId } }) {
      requireOwn(caller, orgId);
      const open = (await identity.invitations.list(orgId)).find((each) => each.id === invitationId);
      if (open === undefined || !(await identity.invitations.withdraw(caller, open.email)))
        throw new ToolError('not_found', 'There is no such open invitation.');
    },
  }),
];

const roleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:orgId/roles',
    summary: 'Roles with what they give and how many hold them',
    who: 'team',
    grants: ['ORGANIZATION_MEMBER_LIST'],
    answer: whole('Role', RoleItem),
    async run({ identity, caller, params: { orgId } }) {
      requireOwn(caller, orgId);
      const members = await identity.listMembers(orgId);
      const builtIn = Object.entries(identity.roles.builtIn).map(([name, grants]) => ({
        name,
        isBuiltIn: true,
        grants: shownGrants(grants),
        members: members.filter(({ roles }) => roles.includes(name)).length,
      }));
      const custom = (await identity.roles.list(orgId)).map(({ name, grants, members: count }) => ({
        name,
        isBuiltIn: false,
        grants: shownGrants(grants),
        members: count,
      }));
      return [...builtIn, ...custom];
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/:orgId/roles/:roleName',
    summary: 'Make or replace a role of your own; it gives its grants besides what members have',
    who: 'team',
    grants: ['ORGANIZATION_UPDATE'],
    isSensitive: true,
    body: z.strictObject({ grants: GrantMap }),
    answer: nothing,
    async run({ identity, caller, params: { orgId, roleName: name }, body: { grants } }) {
      requireOwn(caller, orgId);
      await identity.roles.save(caller, { name, grants });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:orgId/roles/:roleName',
    summary: 'Delete a role of your own; whoever held no other is a member from then on',
    who: 'team',
    grants: ['ORGANIZATION_UPDATE'],
    isSensitive: true,
    answer: nothing,
    async run({ identity, caller, params: { orgId, roleName: name } }) {
      requireOwn(caller, orgId);
      if (!(await identity.roles.delete(caller, name)))
        throw new ToolError('not_found', 'There is no role of this name.');
    },
  }),
];

// Who has more looks for one by its name.
const MOST_KEYS = 1000;

const keyRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:orgId/keys',
    summary: 'Keys, newest first: those of everybody for owners and administrators, your own for others',
    who: 'team',
    grants: ['API_KEY_LIST'],
    query: z.strictObject({
      text: z.string().min(1).max(200).optional().describe('A part of the name of the key or of its owner'),
      id: GivenId.optional().describe('This one alone'),
      limit: limitUpTo(MOST_KEYS, MOST_KEYS),
    }),
    answer: whole('Key', KeyItem),
    async run({ identity, caller, params: { orgId }, query }) {
      requireOwn(caller, orgId);
      const keys = await identity.listKeys(caller, { ...query, all: mayAdminister(caller) });
      const owners = [...new Set(keys.map(({ userId }) => userId))];
      const { users } = await identity.namesOf(orgId, { callers: [], users: owners });
      return keys.map((key) => shownKey(key, users.get(key.userId) ?? null, key.userId === caller.userId));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:orgId/keys/:keyId',
    summary: 'Revoke a key, of others as an owner or administrator; its next request is refused',
    who: 'team',
    grants: ['API_KEY_DELETE'],
    isSensitive: true,
    answer: nothing,
    async run({ identity, caller, params: { orgId, keyId } }) {
      requireOwn(caller, orgId);
      await identity.revokeKey(caller, keyId);
    },
  }),
];

const appearanceRoute = defineRoute({
  method: 'PUT',
  path: '/:orgId/appearance',
  summary: 'The colour of the console; null for that of Parley',
  who: 'team',
  grants: ['ORGANIZATION_UPDATE'],
  body: z.strictObject({
    accent: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #2f6fed')
      .nullable(),
  }),
  answer: one('Appearance', z.object({ accent: z.string().nullable() })),
  async run({ identity, caller, params: { orgId }, body: { accent } }) {
    requireOwn(caller, orgId);
    const { metadata } = await identity.organizations.update(caller, { accent });
    const kept = metadata?.['accent'];
    return { accent: typeof kept === 'string' ? kept : null };
  },
});

export const peopleRoutes = [membersRoute, ...invitationRoutes, ...roleRoutes, ...keyRoutes, appearanceRoute];
