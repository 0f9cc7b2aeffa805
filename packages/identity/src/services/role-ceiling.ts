/** Roles: who may give, change and take which. */
import type { Caller, Grants } from '@parley/kit';
import { ToolError, unionGrants } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { StandingRole } from '../roles.ts';
import { builtInGain, isAbove, isBuiltInRole, standingRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import type { Worth } from './ceiling.ts';
import { requireCovered } from './ceiling.ts';

/** Throws unless every role is built in or one of the organization's own. */
export async function requireRoles(
  store: Queryable,
  organizationId: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.length === 0) throw new ToolError('invalid', 'roles: must have at least 1 items');
  const custom = await customRoles(store, organizationId, roles);
  const unknown = roles.find((role) => !isBuiltInRole(role) && !custom.some(({ name }) => name === role));
  if (unknown !== undefined)
    throw new ToolError('not_found', `No such role: ${unknown}. "parley roles list" shows them.`);
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

/** Throws `forbidden` when somebody with these roles stands above the caller, or holds a custom role beyond them. */
export async function requireOver(
  store: Queryable,
  by: Caller,
  roles: readonly string[],
  { isPrivileged }: Pick<Worth, 'isPrivileged'>,
): Promise<void> {
  requireRankOver(by, roles);
  const custom = await customRoles(store, by.organizationId, roles);
  for (const { grants } of custom) requireCovered(by, fromJson<Grants>(grants), isPrivileged);
}

async function customRoles(store: Queryable, organizationId: string, names: readonly string[]) {
  if (names.length === 0) return [];
  return store
    .db<IdentityTables>()
    .selectFrom('roles')
    .select(['name', 'grants'])
    .where('organization_id', '=', organizationId)
    .where('name', 'in', [...names])
    .execute();
}
