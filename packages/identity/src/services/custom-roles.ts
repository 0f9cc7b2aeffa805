/** Roles: the ones an organization makes, and who may give which. */
import type { Caller, Grants } from '@parley/kit';
import { ToolError, typeId, unionGrants } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { StandingRole } from '../roles.ts';
import { builtInGain, isAbove, isBuiltInRole, standingRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import type { Rules, Worth } from './ceiling.ts';
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
  input: NewRole,
  { now, isPrivileged, refuseUnknown }: Rules,
): Promise<void> {
  const { name, grants } = input;
  if (isBuiltInRole(name)) throw new ToolError('conflict', `The role "${name}" is built in.`);
  // Every custom role builds on `member`.
  requireRoleWithin(by, 'member');
  requireCovered(by, grants, isPrivileged);
  refuseUnknown(by, input);
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

/** Throws `forbidden` when the roles give somebody who held `before` more than the maker has. */
export async function requireRolesWithin(
  store: Queryable,
  by: Caller,
  { roles, before }: { readonly roles: readonly string[]; readonly before: readonly string[] },
  { isPrivileged, roleDefaults }: Worth,
): Promise<void> {
  requireRoleWithin(by, standingRole(roles));
  const custom = await customRoles(store, by.organizationId, roles);
  const wanted = unionGrants([
    builtInGain(roleDefaults, roles, before),
    ...custom.map(({ grants }) => fromJson<Grants>(grants)),
  ]);
  requireCovered(by, wanted, isPrivileged);
}

/** Throws `forbidden` when the role stands above the maker. */
export function requireRoleWithin(by: Pick<Caller, 'roles'>, role: StandingRole): void {
  if (!isAbove(role, standingRole(by.roles))) return;
  throw new ToolError('forbidden', `You cannot give a role above your own: ${role}`, { role });
}

/** Throws `forbidden` when somebody with these roles stands above the caller. */
export function requireRankOver(by: Caller, roles: readonly string[]): void {
  const role = standingRole(roles);
  if (!isAbove(role, standingRole(by.roles))) return;
  const names = { owner: 'an owner', admin: 'an administrator', member: 'a member', user: 'a user' };
  const orAbove = role === 'owner' ? '' : ' or somebody above';
  throw new ToolError('forbidden', `Only ${names[role]}${orAbove} can change or remove ${names[role]}.`);
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
