/** One-time links: whoever can open the database, or is told by somebody who can, signs in once within 15 minutes. */
import { randomBytes } from 'node:crypto';
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { hashSecret } from '../../key-format.ts';
import type { IdentityTables, SignInLinkRow } from '../../schema.ts';
import { writeAudit } from '../audit.ts';
import { teamMemberships } from './memberships.ts';

/** A link that was just made; its token is shown once. */
export interface SignInLink {
  readonly token: string;
  readonly name: string;
  readonly expiresAt: number;
}

const PREFIX = 'parley_link_';
const TOKEN = /^parley_link_[\w-]{43}$/;
const TOKEN_BYTES = 32;
const LIFE_MS = 15 * 60_000;

/** Makes a link for somebody of a team, by e-mail or id of a user, or for the first owner of the first organization. */
export async function createLink(
  tx: StoreTransaction,
  who: string | undefined,
  now: number,
): Promise<SignInLink> {
  const person = who === undefined ? await firstOwner(tx) : await personNamed(tx, who);
  const [member] = person === undefined ? [] : await teamMemberships(tx, person.id);
  if (person === undefined || member === undefined)
    throw new ToolError(
      'not_found',
      who === undefined
        ? 'There is no owner in this database yet. Run "parley start" first.'
        : `Nobody of a team has the e-mail ${who}. "parley members list" shows them.`,
    );
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  const { organizationId } = member;
  const expiresAt = now + LIFE_MS;
  const db = tx.db<IdentityTables>();
  await db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute();
  await db
    .insertInto('sign_in_links')
    .values({
      token_hash: hashSecret(token),
      user_id: person.id,
      organization_id: organizationId,
      expires_at: expiresAt,
    })
    .execute();
  const caller = { id: member.id, organizationId, userId: person.id, source: 'cli' } as const;
  await writeAudit(tx, { caller, action: 'sign_in_link.created', target: member.id }, { now });
  return { token, name: person.name, expiresAt };
}

/** Takes a link out of the database; undefined when it is unknown, used or too old. */
export async function takeLink(
  tx: StoreTransaction,
  token: string,
  now: number,
): Promise<SignInLinkRow | undefined> {
  const row = await tx
    .db<IdentityTables>()
    .deleteFrom('sign_in_links')
    .where('token_hash', '=', TOKEN.test(token) ? hashSecret(token) : '')
    .returningAll()
    .executeTakeFirst();
  return row === undefined || row.expires_at <= now ? undefined : row;
}

/** True once an owner has a password or a passkey, so that no link has to be printed any more. */
export async function hasOwnerSignIn(from: Queryable): Promise<boolean> {
  const db = from.db<IdentityTables>();
  const owners = db
    .selectFrom('member_roles')
    .innerJoin('members', 'members.id', 'member_roles.member_id')
    .select('members.user_id')
    .where('member_roles.role', '=', 'owner');
  const password = db.selectFrom('passwords').select('user_id').where('user_id', 'in', owners).limit(1);
  if ((await password.executeTakeFirst()) !== undefined) return true;
  const passkey = db.selectFrom('passkeys').select('id').where('user_id', 'in', owners).limit(1);
  return (await passkey.executeTakeFirst()) !== undefined;
}

interface Person {
  readonly id: string;
  readonly name: string;
}

async function firstOwner(from: Queryable): Promise<Person | undefined> {
  return from
    .db<IdentityTables>()
    .selectFrom('member_roles')
    .innerJoin('members', 'members.id', 'member_roles.member_id')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.name'])
    .where('member_roles.role', '=', 'owner')
    .orderBy('organizations.created_at')
    .orderBy('organizations.id')
    .orderBy('members.created_at')
    .orderBy('members.id')
    .executeTakeFirst();
}

async function personNamed(from: Queryable, who: string): Promise<Person | undefined> {
  const email = who.trim().toLowerCase();
  return from
    .db<IdentityTables>()
    .selectFrom('users')
    .select(['id', 'name'])
    .where((user) => user.or([user('id', '=', who), user('email', '=', email)]))
    .executeTakeFirst();
}
