/** The teams that a person belongs to: what they may sign in to. */
import { isTeam } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { IdentityTables } from '../../schema.ts';

/** A person in the team of an organization. */
export interface TeamMembership {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly roles: readonly string[];
}

/** All of them, the oldest first; an organization where somebody is only a visitor is none. */
export async function teamMemberships(from: Queryable, userId: string): Promise<TeamMembership[]> {
  const lines = await from
    .db<IdentityTables>()
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .innerJoin('member_roles', 'member_roles.member_id', 'members.id')
    .select(['members.id', 'members.organization_id as organizationId', 'member_roles.role'])
    .select('organizations.name as organizationName')
    .where('members.user_id', '=', userId)
    .orderBy('members.created_at')
    .orderBy('members.id')
    .execute();
  const all = [...Map.groupBy(lines, ({ id }) => id).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { id, organizationId, organizationName } = first;
    return [{ id, organizationId, organizationName, roles: own.map(({ role }) => role).toSorted() }];
  });
  return all.filter(isTeam);
}
