/** Whether somebody has an account: e-mails are not proven, so that what is meant for one must not go to whoever took it. */
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { IdentityTables } from '../schema.ts';

/** Makes those take turns who ask whether a user is claimed and then let them in, each in an organization of its own. */
export async function lockUser(tx: StoreTransaction, userId: string): Promise<void> {
  const row = tx.db<IdentityTables>().selectFrom('users').select('id').where('id', '=', userId);
  await tx.locked(row).execute();
}

/** True when somebody can act as this user: with a key, as one of a team, or by a way into the console. */
export async function isClaimed(from: Queryable, userId: string): Promise<boolean> {
  const db = from.db<IdentityTables>();
  const key = db.selectFrom('api_keys').select('user_id').where('user_id', '=', userId);
  const role = db
    .selectFrom('members')
    .innerJoin('member_roles', 'member_roles.member_id', 'members.id')
    .select('members.user_id')
    .where('members.user_id', '=', userId)
    .where('member_roles.role', '!=', 'user');
  // Whatever they are a member of now.
  const password = db.selectFrom('passwords').select('user_id').where('user_id', '=', userId);
  const passkey = db.selectFrom('passkeys').select('user_id').where('user_id', '=', userId);
  const ways = key.unionAll(role).unionAll(password).unionAll(passkey);
  return (await ways.limit(1).executeTakeFirst()) !== undefined;
}

/**
 * True for an account that this organization never let in: all that it knows of them is an e-mail, which anybody can
 * have given to an account of theirs elsewhere on the server.
 */
export async function isStranger(from: Queryable, organizationId: string, userId: string): Promise<boolean> {
  const db = from.db<IdentityTables>();
  const key = await db
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirst();
  if (key !== undefined) return false;
  const role = await db
    .selectFrom('members')
    .innerJoin('member_roles', 'member_roles.member_id', 'members.id')
    .select('member_roles.role')
    .where('members.user_id', '=', userId)
    .where('members.organization_id', '=', organizationId)
    .where('member_roles.role', '!=', 'user')
    .limit(1)
    .executeTakeFirst();
  return role === undefined && (await isClaimed(from, userId));
}

/** Throws when roles of the team would go to a visitor whose account this organization never let in. */
export async function refuseStranger(
  tx: StoreTransaction,
  organizationId: string,
  { userId, roles }: { readonly userId: string; readonly roles: readonly string[] },
): Promise<void> {
  const isForTeam = roles.some((role) => role !== 'user');
  if (!isForTeam) return;
  await lockUser(tx, userId);
  if (!(await isStranger(tx, organizationId, userId))) return;
  throw new ToolError(
    'forbidden',
    'This visitor has an account in another organization, and nobody has shown that the e-mail is theirs. Remove the visitor and invite the e-mail: the link reaches whoever you send it to.',
  );
}
