/** What a person, or a key of theirs, may do in an organization now. */
import type { Caller, Grants } from '@parley/kit';
import { unionGrants } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Rank } from '../roles.ts';
import { baseGrants, BUILT_IN_ROLES, isAbove, isBuiltInRole, standingRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';

/** A person's standing in an organization. */
export interface Standing {
  readonly roles: readonly string[];
  readonly grants: Grants;
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
  return { roles, grants: unionGrants([baseGrants(roles), ...own]) };
}

/** The standing cut to a rank; somebody who stands lower than that keeps their own. */
export function narrowed(standing: Standing, rank: Rank): Standing {
  if (isAbove(rank, standingRole(standing.roles))) return standing;
  // Whoever stands as high or higher holds all of it, and more that the rank does not give.
  return { roles: [rank], grants: BUILT_IN_ROLES[rank] ?? {} };
}

/** The person behind a membership as a caller in the browser; undefined when there is no such member. */
export async function callerOfMember(
  store: Queryable,
  organizationId: string,
  memberId: string,
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
  const standing = await standingOf(store, organizationId, member.userId);
  if (standing === undefined) return undefined;
  return { id: memberId, organizationId, ...member, ...standing, source: 'web', unattended: false };
}
