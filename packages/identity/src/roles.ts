/** The roles every organization has, and their order. Custom roles build on `member`. */
import type { Grants } from '@parley/kit';
import { ALL_GRANTS, unionGrants } from '@parley/kit';

/** What toolsets give by default: to visitors of the portal, and to the team besides. */
export type RoleDefaults = Readonly<Record<'member' | 'user', Grants>>;

/** What toolsets declare, put together. */
export function roleDefaultsOf(
  toolsets: readonly {
    readonly name: string;
    readonly roles?: Partial<Record<'member' | 'user', readonly string[]>>;
  }[],
): RoleDefaults {
  const given = (role: keyof RoleDefaults): Grants =>
    Object.fromEntries(
      toolsets.flatMap(({ name, roles }) => {
        const names = roles?.[role] ?? [];
        return names.length === 0 ? [] : [[name, names] as const];
      }),
    );
  return { member: given('member'), user: given('user') };
}

/** What both give. */
export function joinRoleDefaults(left: RoleDefaults, right: RoleDefaults): RoleDefaults {
  return {
    member: unionGrants([left.member, right.member]),
    user: unionGrants([left.user, right.user]),
  };
}

/** What a person or a key counts as; an owner counts as an administrator. */
export type Rank = 'admin' | 'member' | 'user';

/** True for a rank, which a key may be narrowed to. */
export function isRank(role: string): role is Rank {
  return role === 'admin' || role === 'member' || role === 'user';
}

/** A built-in role, as somebody stands by it. */
export type StandingRole = Rank | 'owner';

const ORDER: readonly StandingRole[] = ['user', 'member', 'admin', 'owner'];

/** What each built-in role may do. */
export type RoleGrants = Readonly<Record<StandingRole, Grants>>;

/** Gives every role what the roles below it have. */
export function builtInRoles({ member, user }: RoleDefaults): RoleGrants {
  return { owner: ALL_GRANTS, admin: ALL_GRANTS, member: unionGrants([member, user]), user };
}

/** True for a role that organizations cannot redefine. */
export function isBuiltInRole(role: string): role is StandingRole {
  return ORDER.some((known) => known === role);
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
export function baseGrants(builtIn: RoleGrants, roles: readonly string[]): Grants {
  return standingRole(roles) === 'user' ? builtIn.user : builtIn.member;
}

/** What the built-in side of `roles` gives to somebody who held `before`. */
export function builtInGain(
  { member }: RoleDefaults,
  roles: readonly string[],
  before: readonly string[],
): Grants {
  const role = standingRole(roles);
  if (role === 'owner' || role === 'admin') return ALL_GRANTS;
  return isAbove(role, 'user') && standingRole(before) === 'user' ? member : {};
}
