/** Names of callers and people by their ids, for whoever reads what they did. */
import type { Queryable } from '@parley/store';
import type { IdentityTables } from '../schema.ts';

/** The ids that something was done by; ids that nobody has are not among the answers. */
export interface NamedIds {
  /** Of keys, or of members who act in a browser. */
  readonly callers: readonly string[];
  readonly users: readonly string[];
}

/** The names of an organization's keys and members, revoked keys too, and of the people in it. */
export async function namesOf(
  on: Queryable,
  organizationId: string,
  { callers, users }: NamedIds,
): Promise<{ callers: Map<string, string>; users: Map<string, string> }> {
  const db = on.db<IdentityTables>();
  const keys = await db
    .selectFrom('api_keys')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', some(callers))
    .execute();
  const people = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.id as memberId', 'users.id as userId', 'users.name as name'])
    .where('members.organization_id', '=', organizationId)
    .where((person) =>
      person.or([person('members.id', 'in', some(callers)), person('users.id', 'in', some(users))]),
    )
    .execute();
  return {
    callers: new Map([
      ...keys.map(({ id, name }) => [id, name] as const),
      ...people.map(({ memberId, name }) => [memberId, name] as const),
    ]),
    users: new Map(people.map(({ userId, name }) => [userId, name])),
  };
}

/** An empty list is no SQL. */
function some(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [''] : ids;
}
