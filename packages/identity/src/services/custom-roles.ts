/** Roles: the ones an organization makes, and who may give which. */
import type { Caller, Grants } from '@parley/kit';
import { mayAdminister, ToolError, typeId, unionGrants } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { BUILT_IN_ROLES, isBuiltInRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import type { IsPrivileged } from './ceiling.ts';
import { requireCovered } from './ceiling.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';

/** A role an organization makes for itself. */
export interface NewRole {
  readonly name: string;
  readonly grants: Grants;
}

/** Creates or replaces a custom role of the maker's organization, never stronger than the maker. */
export async function saveRole(
  tx: StoreTransaction,
  by: Caller,
  { name, grants }: NewRole,
  { now, isPrivileged }: { now: number; isPrivileged: IsPrivileged },
): Promise<void> {
  if (isBuiltInRole(name)) throw new ToolError('conflict', `The role "${name}" is built in.`);
  requireCovered(by, grants, isPrivileged);
  const row = { grants: toJson(grants) };
  await tx
    .db<IdentityTables>()
    .insertInto('roles')
    .values({ id: typeId('role', now), organization_id: by.organizationId, name, ...row, created_at: now })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet(row))
    .execute();
  await tx.signal(IDENTITY_CHANGED, by.organizationId);
}

/** Throws unless every role is built in or one of the organization's own. */
export async function requireRoles(
  store: Queryable,
  organizationId: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.length === 0) throw new ToolError('invalid', 'roles: must have at least 1 items');
  const custom = await customRoles(store, organizationId, roles);
  const unknown = roles.find((role) => !isBuiltInRole(role) && !custom.some(({ name }) => name === role));
  if (unknown !== undefined) throw new ToolError('not_found', `No such role: ${unknown}`);
}

/** Throws `forbidden` when the roles together can do more than the maker. */
export async function requireRolesWithin(
  store: Queryable,
  by: Caller,
  roles: readonly string[],
  isPrivileged: IsPrivileged,
): Promise<void> {
  const above = roles.find((role) =>
    role === 'owner' ? !isOwner(by) : role === 'admin' && !mayAdminister(by),
  );
  if (above !== undefined) {
    throw new ToolError('forbidden', `You cannot give a role above your own: ${above}`, { role: above });
  }
  const custom = await customRoles(store, by.organizationId, roles);
  // Every member holds what the role `member` gives, so giving it makes nobody stronger.
  const builtIn = roles.filter((role) => role !== 'member').map((role) => BUILT_IN_ROLES[role] ?? {});
  const wanted = unionGrants([...builtIn, ...custom.map(({ grants }) => fromJson<Grants>(grants))]);
  requireCovered(by, wanted, isPrivileged);
}

/** Throws `forbidden` when the member is an owner and the caller is not. */
export async function requireOwnerFor(store: Queryable, by: Caller, memberId: string): Promise<void> {
  if (isOwner(by)) return;
  const owner = await store
    .db<IdentityTables>()
    .selectFrom('member_roles')
    .select('role')
    .where('organization_id', '=', by.organizationId)
    .where('member_id', '=', memberId)
    .where('role', '=', 'owner')
    .executeTakeFirst();
  if (owner !== undefined) throw new ToolError('forbidden', 'Only an owner can change or remove an owner.');
}

function isOwner(caller: Caller): boolean {
  return caller.roles.includes('owner');
}

function customRoles(store: Queryable, organizationId: string, names: readonly string[]) {
  return store
    .db<IdentityTables>()
    .selectFrom('roles')
    .select(['name', 'grants'])
    .where('organization_id', '=', organizationId)
    .where('name', 'in', [...names])
    .execute();
}
