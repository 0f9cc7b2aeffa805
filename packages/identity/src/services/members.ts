/** Organizations, users and members: who belongs where, and with which power. */
import type { Grants } from '@parley/kit';
import { ToolError, typeId, unionGrants } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { BUILT_IN_ROLES, isBuiltInRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';

/** The topic of every change that may alter what a caller can do. */
export const IDENTITY_CHANGED = 'identity.changed';

/** A person's standing in an organization. */
export interface Standing {
  readonly roles: readonly string[];
  readonly grants: Grants;
}

/** Creates an organization with its first owner. */
export async function createOrganization(
  tx: StoreTransaction,
  input: { slug: string; name: string; owner: { name: string; email: string | null } },
  now: number,
): Promise<{ organizationId: string; userId: string }> {
  const db = tx.db<IdentityTables>();
  const organizationId = typeId('org', now);
  await db
    .insertInto('organizations')
    .values({ id: organizationId, slug: input.slug, name: input.name, created_at: now })
    .execute();
  const userId = await createUser(tx, input.owner, now);
  await addMember(tx, { organizationId, userId, roles: ['owner'] }, now);
  return { organizationId, userId };
}

/** Creates a person; the same e-mail twice is a conflict. */
export async function createUser(
  tx: StoreTransaction,
  input: { name: string; email: string | null },
  now: number,
): Promise<string> {
  const db = tx.db<IdentityTables>();
  if (input.email !== null) {
    const taken = await db.selectFrom('users').select('id').where('email', '=', input.email).executeTakeFirst();
    if (taken !== undefined) throw new ToolError('conflict', `A user with the e-mail ${input.email} exists already.`);
  }
  const id = typeId('user', now);
  await db.insertInto('users').values({ id, name: input.name, email: input.email, created_at: now }).execute();
  return id;
}

/** Puts a person into an organization; someone who is in it already keeps their roles. */
export async function addMember(
  tx: StoreTransaction,
  input: { organizationId: string; userId: string; roles: readonly string[] },
  now: number,
): Promise<string> {
  const db = tx.db<IdentityTables>();
  const existing = await findMember(tx, input.organizationId, input.userId);
  if (existing !== undefined) return existing;
  await requireRoles(tx, input.organizationId, input.roles);
  const id = typeId('mem', now);
  await db
    .insertInto('members')
    .values({ id, organization_id: input.organizationId, user_id: input.userId, created_at: now })
    .execute();
  await writeRoles(tx, id, input.organizationId, input.roles);
  await tx.signal(IDENTITY_CHANGED, input.organizationId);
  return id;
}

/** Replaces a member's roles; the last owner stays an owner. */
export async function setRoles(
  tx: StoreTransaction,
  input: { organizationId: string; userId: string; roles: readonly string[] },
): Promise<void> {
  const memberId = await findMember(tx, input.organizationId, input.userId);
  if (memberId === undefined) throw new ToolError('not_found', 'No such member.');
  await requireRoles(tx, input.organizationId, input.roles);
  if (!input.roles.includes('owner')) await refuseLastOwner(tx, input.organizationId, memberId);
  await tx.db<IdentityTables>().deleteFrom('member_roles').where('member_id', '=', memberId).execute();
  await writeRoles(tx, memberId, input.organizationId, input.roles);
  await tx.signal(IDENTITY_CHANGED, input.organizationId);
}

/** Takes a person out of an organization; their keys there stop with the next request. */
export async function removeMember(
  tx: StoreTransaction,
  input: { organizationId: string; userId: string },
): Promise<void> {
  const memberId = await findMember(tx, input.organizationId, input.userId);
  if (memberId === undefined) throw new ToolError('not_found', 'No such member.');
  await refuseLastOwner(tx, input.organizationId, memberId);
  await tx.db<IdentityTables>().deleteFrom('members').where('id', '=', memberId).execute();
  await tx.signal(IDENTITY_CHANGED, input.organizationId);
}

/** Creates or replaces a custom role. */
export async function saveRole(
  tx: StoreTransaction,
  input: { organizationId: string; name: string; grants: Grants },
  now: number,
): Promise<void> {
  if (isBuiltInRole(input.name)) throw new ToolError('conflict', `The role "${input.name}" is built in.`);
  const row = { grants: toJson(input.grants) };
  await tx
    .db<IdentityTables>()
    .insertInto('roles')
    .values({ id: typeId('role', now), organization_id: input.organizationId, name: input.name, ...row, created_at: now })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet(row))
    .execute();
  await tx.signal(IDENTITY_CHANGED, input.organizationId);
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
      join.onRef('roles.organization_id', '=', 'members.organization_id').onRef('roles.name', '=', 'member_roles.role'),
    )
    .select(['member_roles.role as role', 'roles.grants as grants'])
    .where('members.organization_id', '=', organizationId)
    .where('members.user_id', '=', userId)
    .execute();
  if (rows.length === 0) return undefined;
  const roles = rows.flatMap(({ role }) => (role === null ? [] : [role]));
  const own = rows.map(({ role, grants }) =>
    role !== null && isBuiltInRole(role) ? (BUILT_IN_ROLES[role] ?? {}) : grants === null ? {} : fromJson<Grants>(grants),
  );
  return { roles, grants: unionGrants([BUILT_IN_ROLES.member ?? {}, ...own]) };
}

async function findMember(store: Queryable, organizationId: string, userId: string): Promise<string | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('members')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.id;
}

async function requireRoles(store: Queryable, organizationId: string, roles: readonly string[]): Promise<void> {
  if (roles.length === 0) throw new ToolError('invalid', 'roles: must have at least 1 items');
  const custom = await store
    .db<IdentityTables>()
    .selectFrom('roles')
    .select('name')
    .where('organization_id', '=', organizationId)
    .execute();
  const unknown = roles.find((role) => !isBuiltInRole(role) && !custom.some(({ name }) => name === role));
  if (unknown !== undefined) throw new ToolError('not_found', `No such role: ${unknown}`);
}

async function writeRoles(tx: StoreTransaction, memberId: string, organizationId: string, roles: readonly string[]): Promise<void> {
  const values = [...new Set(roles)].map((role) => ({ member_id: memberId, organization_id: organizationId, role }));
  await tx.db<IdentityTables>().insertInto('member_roles').values(values).execute();
}

async function refuseLastOwner(store: Queryable, organizationId: string, memberId: string): Promise<void> {
  const owners = await store
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
