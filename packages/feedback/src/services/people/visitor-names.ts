/** Names that a visitor cannot have, because readers would take what they write for the team's word. */
import type { Queryable } from '@parley/store';
import type { IdentityTables } from '@parley/identity';
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

// Letters of other scripts that look like Latin ones, and digits that stand in for letters.
const ALIKE = new Map(
  'аa еe оo рp сc уy хx іi јj ѕs кk мm тt вb нh αa εe οo ρp υu χx ιi κk νv τt ηn пn ѡw 0o 1l ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
);

/** A name as a reader sees it: case, width, accents, blanks and signs do not tell two apart. */
function lookOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return Array.from(plain, (sign) => ALIKE.get(sign) ?? sign).join('');
}

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
  // "Feedback Team" and "Owner 2" look as official as the word itself.
  const forms = [look, look.replace(/team$/, ''), look.replace(/\d{1,9}$/, '')];
  return forms.some((form) => form !== '' && taken.has(form));
}
