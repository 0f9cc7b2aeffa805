/** The roles every organization has, and their order. Custom roles build on `member`. */
import type { Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';

const EVERYBODY: Grants = { parley: ['parley_whoami'] };
const TEAM: Grants = { feedback: ['*'] };

/** Built-in roles and what they may do; `user` is a visitor of the portal. */
export const BUILT_IN_ROLES: Readonly<Record<string, Grants>> = {
  owner: ALL_GRANTS,
  admin: ALL_GRANTS,
  member: { ...TEAM, ...EVERYBODY },
  user: EVERYBODY,
};

/** What a person or a key counts as; an owner counts as an administrator. */
export type Rank = 'admin' | 'member' | 'user';

/** A built-in role, as somebody stands by it. */
export type StandingRole = Rank | 'owner';

const ORDER: readonly StandingRole[] = ['user', 'member', 'admin', 'owner'];

/** True for a role that organizations cannot redefine. */
export function isBuiltInRole(role: string): boolean {
  return Object.hasOwn(BUILT_IN_ROLES, role);
}

/** The built-in role that decides: the highest one held, or `member` for somebody with custom roles alone. */
export function standingRole(roles: readonly string[]): StandingRole {
  return ORDER.findLast((role) => roles.includes(role)) ?? (roles.length > 0 ? 'member' : 'user');
}

/** The rank of somebody with these roles: `admin` and `member` are the team, `user` is a visitor. */
export function rankOf(roles: readonly string[]): Rank {
  const role = standingRole(roles);
  return role === 'owner' ? 'admin' : role;
}

/** True when the first role stands above the second. */
export function isAbove(role: StandingRole, other: StandingRole): boolean {
  return ORDER.indexOf(role) > ORDER.indexOf(other);
}

/** What everybody with these roles holds before any custom role. */
export function baseGrants(roles: readonly string[]): Grants {
  const base = standingRole(roles) === 'user' ? 'user' : 'member';
  return BUILT_IN_ROLES[base] ?? {};
}

/** What the built-in side of `roles` gives to somebody who held `before`. */
export function builtInGain(roles: readonly string[], before: readonly string[]): Grants {
  const role = standingRole(roles);
  if (role === 'owner' || role === 'admin') return ALL_GRANTS;
  return isAbove(role, 'user') && standingRole(before) === 'user' ? TEAM : {};
}
