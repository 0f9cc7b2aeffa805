/** Organizations, users and members: who belongs where, and with which power. */
import type { Caller, Grants } from '@parley/kit';
import { ToolError, typeId, unionGrants } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, isForeignKeyViolation, isUniqueViolation } from '@parley/store';
import { BUILT_IN_ROLES, isBuiltInRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import type { IsPrivileged } from './ceiling.ts';
import { requireOwnerFor, requireRoles, requireRolesWithin } from './custom-roles.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';

/** A person's standing in an organization. */
export interface Standing {
  readonly roles: readonly string[];
  readonly grants: Grants;
}

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

/** Creates a person; the same e-mail twice is a conflict. */
export async function createUser(
  tx: StoreTransaction,
  input: { name: string; email: string | null },
  now: number,
): Promise<string> {
  const id = typeId('user', now);
  await tx
    .db<IdentityTables>()
    .insertInto('users')
    .values({ id, name: input.name, email: input.email, created_at: now })
    .execute()
    .catch(orConflict(`A user with the e-mail ${input.email} exists already.`));
  return id;
}

function orConflict(message: string): (error: unknown) => never {
  return (error) => {
    throw isUniqueViolation(error) ? new ToolError('conflict', message) : error;
  };
}

/** A person and the roles they shall have, in the organization of whoever gives them. */
export interface RolesOfUser {
  readonly userId: string;
  readonly roles: readonly string[];
}

/** Puts a person into the maker's organization; someone who is in it already keeps their roles. */
export async function addMember(
  tx: StoreTransaction,
  by: Caller,
  { userId, roles }: RolesOfUser,
  { now, isPrivileged }: { now: number; isPrivileged: IsPrivileged },
): Promise<string> {
  const { organizationId } = by;
  const existing = await findMember(tx, organizationId, userId);
  if (existing !== undefined) return existing;
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, roles, isPrivileged);
  return enrol(tx, { organizationId, userId, roles }, now);
}

/** Replaces a member's roles by such as the maker could hold; the last owner stays an owner. */
export async function setRoles(
  tx: StoreTransaction,
  by: Caller,
  { userId, roles }: RolesOfUser,
  isPrivileged: IsPrivileged,
): Promise<void> {
  const { organizationId } = by;
  const memberId = await findMember(tx, organizationId, userId);
  if (memberId === undefined) throw new ToolError('not_found', 'No such member.');
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, roles, isPrivileged);
  await requireOwnerFor(tx, by, memberId);
  if (!roles.includes('owner')) await refuseLastOwner(tx, organizationId, memberId);
  await tx.db<IdentityTables>().deleteFrom('member_roles').where('member_id', '=', memberId).execute();
  await writeRoles(tx, memberId, organizationId, roles);
  await tx.signal(IDENTITY_CHANGED, organizationId);
}

/** Takes a person out of the organization; their keys there stop with the next request. */
export async function removeMember(tx: StoreTransaction, by: Caller, userId: string): Promise<void> {
  const { organizationId } = by;
  const memberId = await findMember(tx, organizationId, userId);
  if (memberId === undefined) throw new ToolError('not_found', 'No such member.');
  await requireOwnerFor(tx, by, memberId);
  await refuseLastOwner(tx, organizationId, memberId);
  await tx.db<IdentityTables>().deleteFrom('members').where('id', '=', memberId).execute();
  await tx.signal(IDENTITY_CHANGED, organizationId);
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
  await writeRoles(tx, id, organizationId, roles);
  await tx.signal(IDENTITY_CHANGED, organizationId);
  return id;
}

/** What a person may do in an organization now; undefined when they are no member. */
export async function standingOf(
  store: Queryable,
  organizationId: string,
  userId: string,
): Promise<Standing | undefined> {
  const rows = await store
    .db<IdentityTables>()
    .selectFrom('members')
    .leftJoin('member_roles', 'member_roles.member_id', 'members.id')
    .leftJoin('roles', (join) =>
      join
        .onRef('roles.organization_id', '=', 'members.organization_id')
        .onRef('roles.name', '=', 'member_roles.role'),
    )
    .select(['member_roles.role as role', 'roles.grants as grants'])
    .where('members.organization_id', '=', organizationId)
    .where('members.user_id', '=', userId)
    .execute();
  if (rows.length === 0) return undefined;
  const roles = rows.flatMap(({ role }) => (role === null ? [] : [role]));
  const own = rows.map(({ role, grants }) =>
    role !== null && isBuiltInRole(role)
      ? (BUILT_IN_ROLES[role] ?? {})
      : grants === null
        ? {}
        : fromJson<Grants>(grants),
  );
  return { roles, grants: unionGrants([BUILT_IN_ROLES.member ?? {}, ...own]) };
}

async function findMember(
  store: Queryable,
  organizationId: string,
  userId: string,
): Promise<string | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('members')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.id;
}

async function writeRoles(
  tx: StoreTransaction,
  memberId: string,
  organizationId: string,
  roles: readonly string[],
): Promise<void> {
  const values = [...new Set(roles)].map((role) => ({
    member_id: memberId,
    organization_id: organizationId,
    role,
  }));
  await tx.db<IdentityTables>().insertInto('member_roles').values(values).execute();
}

async function refuseLastOwner(
  tx: StoreTransaction,
  organizationId: string,
  memberId: string,
): Promise<void> {
  const db = tx.db<IdentityTables>();
  // Writing the row locks it, so that two owners cannot remove each other at the same time.
  await db
    .updateTable('organizations')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', organizationId)
    .execute();
  const owners = await db
    .selectFrom('member_roles')
    .select('member_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .execute();
  if (owners.length === 1 && owners[0]?.member_id === memberId) {
    throw new ToolError('conflict', 'An organization needs at least one owner.');
  }
}
