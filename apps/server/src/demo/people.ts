/** People of the demo: roles of the organization's own, who holds them, who is invited, and the keys of the owner. */
import type { Part } from './scene.ts';
import { DAY_MS } from './scene.ts';

const ROLES = [
  { name: 'designer', grants: { annotations: ['*'], feedback: ['search_feedback', 'get_post'] } },
  { name: 'on-call', grants: { tasks: ['*'], self: ['MONITORING_LOGS_LIST', 'MONITORING_STATS'] } },
];

/** By e-mail; the team itself comes with the demo of feedback. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  'aiko.tanaka@harbor.example': ['member', 'designer'],
  'tomas.herrera@harbor.example': ['member', 'on-call'],
  'samuel.okafor@harbor.example': ['admin'],
};

const INVITED = [
  { email: 'nora.iversen@harbor.example', roles: ['member'] },
  { email: 'contractor@harbor.example', roles: ['designer'] },
];

export const KEYS = [
  { name: 'Claude Code', grants: { '*': ['*'] }, days: 90 },
  { name: 'Cursor', grants: { annotations: ['*'], feedback: ['*'] }, days: 30 },
  { name: 'CI pipeline', grants: { tasks: ['*'], self: ['EVENT_PUBLISH'] }, days: 365 },
  { name: 'Old laptop', grants: { annotations: ['*'] }, days: null },
];

/** The key that nobody uses any more. */
export const REVOKED = 'Old laptop';

export const people: Part = {
  name: 'people',
  isThere: async ({ host, organizationId }) => (await host.identity.roles.list(organizationId)).length > 0,
  async play({ host: { identity }, owner, organizationId, now }) {
    for (const role of ROLES) await identity.roles.save(owner, role);
    for (const [email, roles] of Object.entries(HOLDERS)) {
      const member = await identity.findMember(organizationId, email);
      if (member !== undefined) await identity.setRoles(owner, { memberId: member.id, roles });
    }
    for (const invitation of INVITED) await identity.invitations.create(owner, invitation);
    for (const { name, grants, days } of KEYS) {
      const expiresAt = days === null ? null : now + days * DAY_MS;
      const { info } = await identity.createKey(owner, { name, grants, expiresAt });
      if (name === REVOKED) await identity.revokeKey(owner, info.id);
    }
  },
};
