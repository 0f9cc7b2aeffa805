/** What a person, or a key of theirs, may do in an organization now. */
import type { Caller, CallSource, Grants } from '@parley/kit';
import { unionGrants } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Rank, RoleGrants } from '../roles.ts';
import { baseGrants, isAbove, isBuiltInRole, standingRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';

/** The roles that a person holds, with the grants of the custom ones. */
export interface HeldRoles {
  readonly roles: readonly string[];
  readonly custom: readonly Grants[];
}

/** A person's standing in an organization. */
export interface Standing {
  readonly roles: readonly string[];
  readonly grants: Grants;
}

/** The roles of a person in an organization now; undefined when they are no member. */
export async function rolesHeld(
  store: Queryable,
  organizationId: string,
  userId: string,
): Promise<HeldRoles | undefined> {
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
  const custom = rows.flatMap(({ role, grants }) =>
    role === null || grants === null || isBuiltInRole(role) ? [] : [fromJson<Grants>(grants)],
  );
  return { roles, custom };
}

/** What somebody with these roles may do. */
export function standingOf(builtIn: RoleGrants, { roles, custom }: HeldRoles): Standing {
  const own = roles.filter(isBuiltInRole).map((role) => builtIn[role]);
  return { roles, grants: unionGrants([baseGrants(builtIn, roles), ...own, ...custom]) };
}

/** The roles, cut down to a rank; a person below that rank keeps their own roles. */
export function narrowedRoles(roles: readonly string[], rank: Rank): readonly string[] {
  return isAbove(rank, standingRole(roles)) ? roles : [rank];
}

/** The standing, cut down to a rank in the same way. */
export function narrowed(builtIn: RoleGrants, standing: Standing, rank: Rank): Standing {
  const roles = narrowedRoles(standing.roles, rank);
  // A person at this rank or above holds all its grants; what they hold beyond it is cut off.
  return roles === standing.roles ? standing : { roles, grants: builtIn[rank] };
}

/** The person behind a membership as a caller; undefined when there is no such member. */
export async function callerOfMember(
  store: Queryable,
  builtIn: RoleGrants,
  { organizationId, memberId, source }: { organizationId: string; memberId: string; source: CallSource },
): Promise<(Caller & { readonly userId: string }) | undefined> {
  const member = await store
    .db<IdentityTables>()
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id as userId', 'users.name as name'])
    .where('members.id', '=', memberId)
    .where('members.organization_id', '=', organizationId)
    .executeTakeFirst();
  if (member === undefined) return undefined;
  const held = await rolesHeld(store, organizationId, member.userId);
  if (held === undefined) return undefined;
  return {
    id: memberId,
    organizationId,
    ...member,
    ...standingOf(builtIn, held),
    source,
    unattended: false,
  };
}
