/** The names of people: whom an id, an e-mail address or a name of the team means, and what content is shown under. */
import type { IdentityTables } from '@parley/identity';
import { rankOf } from '@parley/identity';
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { NameReader } from '../../actor.ts';
import { badIdMessage, ID_KINDS, splitId, toIdentityId } from '../../ids.ts';
import { whereNames } from '../names.ts';
import { listOf, nameKey } from '../nouns/name-key.ts';

/** Somebody on the team, as identity writes its id. */
export interface Teammate {
  readonly id: string;
  readonly name: string;
}

/** The team, the oldest first; visitors, of whom there may be many, are not read. */
export async function teamOf(from: Queryable, organizationId: string): Promise<Teammate[]> {
  const lines = await from
    .db<IdentityTables>()
    .selectFrom('members as member')
    .innerJoin('users', 'users.id', 'member.user_id')
    .innerJoin('member_roles as held', 'held.member_id', 'member.id')
    .select(['member.id', 'users.name', 'held.role'])
    .where('member.organization_id', '=', organizationId)
    .where('member.id', 'in', (query) =>
      query
        .selectFrom('member_roles')
        .select('member_roles.member_id')
        .where('member_roles.organization_id', '=', organizationId)
        .where('member_roles.role', '<>', 'user'),
    )
    .orderBy('member.created_at')
    .orderBy('member.id')
    .execute();
  return [...Map.groupBy(lines, ({ id }) => id).values()].flatMap((own) => {
    const isTeam = rankOf(own.map(({ role }) => role)) !== 'user';
    return isTeam ? own.slice(0, 1).map(({ id, name }) => ({ id, name })) : [];
  });
}

/** The member id, as identity writes it, behind an id, an e-mail address or the name of a team member. */
export async function memberIdOf(from: Queryable, reader: NameReader, text: string): Promise<string> {
  const { organizationId } = reader;
  const mayList = reader.mayList.includes('members');
  const prefix = splitId(text)?.prefix;
  if (ID_KINDS.some((kind) => kind === prefix)) return toIdentityId('member', text);
  const wanted = nameKey(text);
  // Whoever may not list the team must not learn from an answer who has an address.
  const byEmail = mayList && wanted.includes('@') ? await idOfEmail(from, organizationId, wanted) : undefined;
  if (byEmail !== undefined) return byEmail;
  // Visitors choose their names themselves, so these prove nothing.
  const team = await teamOf(from, organizationId);
  const [first, second] = team.filter(({ name }) => nameKey(name) === wanted);
  if (first === undefined) {
    const hint = mayList ? `Use one of: ${listOf(team.map(({ name }) => name))}.` : whereNames('members');
    throw new ToolError('invalid', `${badIdMessage('member', text)}. ${hint}`);
  }
  if (second !== undefined)
    throw new ToolError(
      'invalid',
      `Several members of the team have that name. Use the id${mayList ? ' or the e-mail address' : ''} of one.`,
    );
  return first.id;
}

async function idOfEmail(
  from: Queryable,
  organizationId: string,
  email: string,
): Promise<string | undefined> {
  const row = await from
    .db<IdentityTables>()
    .selectFrom('members as member')
    .innerJoin('users', 'users.id', 'member.user_id')
    .select('member.id')
    .where('member.organization_id', '=', organizationId)
    .where('users.email', '=', email)
    .executeTakeFirst();
  return row?.id;
}

/** The name that content is shown under: that of an agent comes with whom it acted for. */
export function shownName(userName: string | null, agentName: string | null): string | null {
  if (agentName === null) return userName;
  return userName === null ? agentName : `${agentName} for ${userName}`;
}
