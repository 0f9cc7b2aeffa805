/** Everything that lists or changes who is there and what they may do: loaded together, with the first such call. */
export { checkAudit } from './services/audit-check.ts';
export { auditAfter, listAudit } from './services/audit-list.ts';
export { sweepAudit } from './services/audit-retention.ts';
export { renewAgentKey, sweepAgentKeys } from './services/key-retention.ts';
export { bootstrap } from './services/bootstrap.ts';
export { callerIn } from './services/crossing.ts';
export { deleteRole, listRoles, saveRole } from './services/custom-roles.ts';
export {
  createInvitation,
  listInvitations,
  openInvitation,
  withdrawInvitation,
} from './services/invitations.ts';
export { acceptInvitation } from './services/joining.ts';
export { updateKey } from './services/key-update.ts';
export { createKey, keysBoundTo, listKeys } from './services/keys.ts';
export { requireKnown } from './services/known-grants.ts';
export {
  countMembers,
  findMember,
  getMember,
  listMembers,
  memberOf,
  pageMembers,
} from './services/member-list.ts';
export { addMember, removeMember, setRank, setRoles } from './services/members.ts';
export { namesOf } from './services/names.ts';
export { getSettings, saveSettings } from './services/organization-settings.ts';
export {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from './services/organizations.ts';
export { recoverOwnerKey } from './services/recovery.ts';
export { revokeKey } from './services/revoking.ts';
export { isStranger } from './services/claimed.ts';
export { createUser, ensureUser } from './services/users.ts';
