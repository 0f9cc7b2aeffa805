/** Names that a visitor cannot have, because readers would take what they write for the team's word. */
import type { Queryable } from '@parley/store';
import type { IdentityTables } from '@parley/identity';
import { lookOf } from './name-look.ts';
import { teamOf } from './people-names.ts';

const RESERVED = [
  'owner',
  'admin',
  // What the pages call a site that nobody has named.
  'feedback',
  'administrator',
  'moderator',
  'official',
  'staff',
  'support',
  'system',
  'team',
  'the team',
];

/** True when the name looks like one of the team, or like the site itself. */
export async function looksLikeTeam(from: Queryable, organizationId: string, name: string): Promise<boolean> {
  const organization = await from
    .db<IdentityTables>()
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  const team = await teamOf(from, organizationId);
  const names = [...RESERVED, organization?.name ?? '', ...team.map((member) => member.name)];
  const taken = new Set(names.map(lookOf));
  const look = lookOf(name);
  // "Feedback Team" and "Owner 2" look as official as the word itself; a digit at the end may be a letter, too.
  const forms = [look, withoutTeam(look), lookOf(name.normalize('NFKC').replace(/\P{L}{1,20}$/u, ''))];
  return forms.some((form) => form !== '' && taken.has(form));
}

const TEAM = lookOf('team');

function withoutTeam(look: string): string {
  return look.endsWith(TEAM) ? look.slice(0, -TEAM.length) : look;
}
