/** The members of an organization: who belongs to it, with which roles, and who may change that. */
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { isForeignKeyViolation } from '@parley/store';
import type { Rank } from '../roles.ts';
import { isBuiltInRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import { writeAudit } from './audit.ts';
import type { Rules } from './ceiling.ts';
import { refuseStranger } from './claimed.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import type { Member } from './member-list.ts';
import { getMember, memberOf } from './member-list.ts';
import { requireOver, requireRankOver, requireRoles, requireRolesWithin } from './role-ceiling.ts';

/** A person and the roles they shall have, in the organization of the one who gives them. */
export interface RolesOfUser {
  readonly userId: string;
  readonly roles: readonly string[];
}

/** A member, by either of their ids. */
export type WhichMember = { readonly userId: string } | { readonly memberId: string };

/** Puts a person into the maker's organization; someone who is in it already keeps their roles. */
export async function addMember(
  tx: StoreTransaction,
  by: Caller,
  { userId, roles }: RolesOfUser,
  rules: Rules,
): Promise<string> {
  requireLasting(by, 'members');
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const existing = await memberOf(tx, organizationId, userId);
  if (existing !== undefined) return existing.id;
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, { roles, before: [] }, rules);
  const id = await enrol(tx, { organizationId, userId, roles }, rules.now);
  // Visitors come by themselves, and in numbers; the log is about the team.
  const isVisitor = roles.every((role) => role === 'user');
  const entry = { caller: by, action: 'member.added', target: id, changed: { roles } };
  if (!isVisitor) await writeAudit(tx, entry, rules);
  return id;
}

/** Replaces a member's roles by such as the maker could hold; the last owner stays an owner. */
export async function setRoles(
  tx: StoreTransaction,
  by: Caller,
  { roles, ...who }: WhichMember & { readonly roles: readonly string[] },
  rules: Rules,
): Promise<Member> {
  requireLasting(by, 'members');
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const member = await memberIn(tx, organizationId, who);
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, { roles, before: member.roles }, rules);
  requireRankOver(by, member.roles);
  const taken = member.roles.filter((role) => !roles.includes(role));
  await requireOver(tx, by, taken, rules);
  if (isSame(roles, member.roles)) return member;
  await refuseStranger(tx, organizationId, { userId: member.userId, roles });
  if (!roles.includes('owner')) await refuseLastOwner(tx, organizationId, member.id);
  return changeRoles(tx, by, { member, roles }, rules);
}

/** Moves a member to a rank and leaves their custom roles; an owner is an administrator already. */
export async function setRank(
  tx: StoreTransaction,
  by: Caller,
  { memberId, rank }: { memberId: string; rank: Rank },
  rules: Rules,
): Promise<Member> {
  requireLasting(by, 'members');
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const member = await memberIn(tx, organizationId, { memberId });
  await requireRolesWithin(tx, by, { roles: [rank], before: member.roles }, rules);
  if (member.rank === rank) return member;
  await refuseStranger(tx, organizationId, { userId: member.userId, roles: [rank] });
  requireRankOver(by, member.roles);
  await refuseLastOwner(tx, organizationId, memberId);
  const custom = member.roles.filter((role) => !isBuiltInRole(role));
  return changeRoles(tx, by, { member, roles: [rank, ...custom] }, rules);
}

/** Takes a person out of the organization; their keys and sign-ins there stop with the next request. */
export async function removeMember(
  tx: StoreTransaction,
  by: Caller,
  who: WhichMember,
  rules: Rules,
): Promise<void> {
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const member = await memberIn(tx, organizationId, who);
  await requireOver(tx, by, member.roles, rules);
  await refuseLastOwner(tx, organizationId, member.id);
  await tx.db<IdentityTables>().deleteFrom('members').where('id', '=', member.id).execute();
  const changed = { userId: member.userId, roles: member.roles };
  await writeAudit(tx, { caller: by, action: 'member.removed', target: member.id, changed }, rules);
  await tx.signal(IDENTITY_CHANGED, organizationId);
}

async function changeRoles(
  tx: StoreTransaction,
  by: Caller,
  { member, roles }: { readonly member: Member; readonly roles: readonly string[] },
  rules: Rules,
): Promise<Member> {
  const { organizationId } = by;
  await replaceRoles(tx, organizationId, member.id, roles);
  const changed = { roles, before: member.roles };
  await writeAudit(tx, { caller: by, action: 'member.roles_changed', target: member.id, changed }, rules);
  return memberIn(tx, organizationId, { memberId: member.id });
}

function isSame(roles: readonly string[], others: readonly string[]): boolean {
  return new Set(roles).size === others.length && others.every((role) => roles.includes(role));
}

async function memberIn(tx: StoreTransaction, organizationId: string, who: WhichMember): Promise<Member> {
  const member =
    'userId' in who
      ? await memberOf(tx, organizationId, who.userId)
      : await getMember(tx, organizationId, who.memberId);
  if (member === undefined) throw new ToolError('not_found', 'No such member.');
  return member;
}

/** Writes a membership down; who may make it was decided before. */
export async function enrol(
  tx: StoreTransaction,
  input: RolesOfUser & { readonly organizationId: string },
  now: number,
): Promise<string> {
  const { organizationId, userId, roles } = input;
  const id = typeId('mem', now);
  const db = tx.db<IdentityTables>();
  await db
    .insertInto('members')
    .values({ id, organization_id: organizationId, user_id: userId, created_at: now })
    .execute()
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? new ToolError('not_found', 'No such user.') : error;
    });
  // Somebody who comes back does so without the keys of before.
  await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  await replaceRoles(tx, organizationId, id, roles);
  return id;
}

async function replaceRoles(
  tx: StoreTransaction,
  organizationId: string,
  memberId: string,
  roles: readonly string[],
): Promise<void> {
  const db = tx.db<IdentityTables>();
  const rows = [...new Set(roles)].map((role) => ({
    member_id: memberId,
    organization_id: organizationId,
    role,
  }));
  await db.deleteFrom('member_roles').where('member_id', '=', memberId).execute();
  await db.insertInto('member_roles').values(rows).execute();
  await tx.signal(IDENTITY_CHANGED, organizationId);
}

/** Makes changes of members take turns: writing the row locks it, so that two owners cannot remove each other. */
export async function lockOrganization(tx: StoreTransaction, organizationId: string): Promise<void> {
  await tx
    .db<IdentityTables>()
    .updateTable('organizations')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', organizationId)
    .execute();
}

/** Throws when the member is the only owner; so there is always somebody who may administer. */
async function refuseLastOwner(
  tx: StoreTransaction,
  organizationId: string,
  memberId: string,
): Promise<void> {
  const owners = await tx
    .db<IdentityTables>()
    .selectFrom('member_roles')
    .select('member_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .execute();
  if (owners.length === 1 && owners[0]?.member_id === memberId) {
    throw new ToolError('conflict', 'An organization needs at least one owner.');
  }
}
