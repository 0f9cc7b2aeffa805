/** Organizations and their members: who belongs where, with which roles, and who may change that. */
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { isForeignKeyViolation } from '@parley/store';
import type { Rank } from '../roles.ts';
import { isBuiltInRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import type { Rules, Worth } from './ceiling.ts';
import { requireRankOver, requireRoles, requireRolesWithin } from './custom-roles.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import type { Member } from './member-list.ts';
import { getMember, memberOf } from './member-list.ts';
import { createUser, orConflict } from './users.ts';

/** Creates an organization with its first owner; the same slug twice is a conflict. */
export async function createOrganization(
  tx: StoreTransaction,
  input: { slug: string; name: string; owner: { name: string; email: string | null } },
  now: number,
): Promise<{ organizationId: string; userId: string }> {
  const organizationId = typeId('org', now);
  await tx
    .db<IdentityTables>()
    .insertInto('organizations')
    .values({ id: organizationId, slug: input.slug, name: input.name, created_at: now })
    .execute()
    .catch(orConflict(`An organization with the slug ${input.slug} exists already.`));
  const userId = await createUser(tx, input.owner, now);
  await enrol(tx, { organizationId, userId, roles: ['owner'] }, now);
  return { organizationId, userId };
}

/** A person and the roles they shall have, in the organization of the one who gives them. */
export interface RolesOfUser {
  readonly userId: string;
  readonly roles: readonly string[];
}

/** Puts a person into the maker's organization; someone who is in it already keeps their roles. */
export async function addMember(
  tx: StoreTransaction,
  by: Caller,
  { userId, roles }: RolesOfUser,
  rules: Rules,
): Promise<string> {
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const existing = await memberOf(tx, organizationId, userId);
  if (existing !== undefined) return existing.id;
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, { roles, before: [] }, rules);
  return enrol(tx, { organizationId, userId, roles }, rules.now);
}

/** Replaces a member's roles by such as the maker could hold; the last owner stays an owner. */
export async function setRoles(
  tx: StoreTransaction,
  by: Caller,
  { userId, roles }: RolesOfUser,
  worth: Worth,
): Promise<void> {
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const member = orNotFound(await memberOf(tx, organizationId, userId));
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, { roles, before: member.roles }, worth);
  requireRankOver(by, member.roles);
  if (!roles.includes('owner')) await refuseLastOwner(tx, organizationId, member.id);
  await replaceRoles(tx, organizationId, member.id, roles);
}

/** Moves a member to a rank and leaves their custom roles; an owner is an administrator already. */
export async function setRank(
  tx: StoreTransaction,
  by: Caller,
  { memberId, rank }: { memberId: string; rank: Rank },
  worth: Worth,
): Promise<Member> {
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const member = orNotFound(await getMember(tx, organizationId, memberId));
  await requireRolesWithin(tx, by, { roles: [rank], before: member.roles }, worth);
  if (member.rank === rank) return member;
  requireRankOver(by, member.roles);
  await refuseLastOwner(tx, organizationId, memberId);
  const custom = member.roles.filter((role) => !isBuiltInRole(role));
  await replaceRoles(tx, organizationId, memberId, [rank, ...custom]);
  return orNotFound(await getMember(tx, organizationId, memberId));
}

/** Takes a person out of the organization; their keys and sign-ins there stop with the next request. */
export async function removeMember(
  tx: StoreTransaction,
  by: Caller,
  who: { readonly userId: string } | { readonly memberId: string },
): Promise<void> {
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const member = orNotFound(
    'userId' in who
      ? await memberOf(tx, organizationId, who.userId)
      : await getMember(tx, organizationId, who.memberId),
  );
  requireRankOver(by, member.roles);
  await refuseLastOwner(tx, organizationId, member.id);
  await tx.db<IdentityTables>().deleteFrom('members').where('id', '=', member.id).execute();
  await tx.signal(IDENTITY_CHANGED, organizationId);
}

function orNotFound(member: Member | undefined): Member {
  if (member === undefined) throw new ToolError('not_found', 'No such member.');
  return member;
}

async function enrol(
  tx: StoreTransaction,
  input: RolesOfUser & { readonly organizationId: string },
  now: number,
): Promise<string> {
  const { organizationId, userId, roles } = input;
  const id = typeId('mem', now);
  await tx
    .db<IdentityTables>()
    .insertInto('members')
    .values({ id, organization_id: organizationId, user_id: userId, created_at: now })
    .execute()
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? new ToolError('not_found', 'No such user.') : error;
    });
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
