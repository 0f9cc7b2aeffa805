/** What people change about themselves: name, e-mail, password. */
import type { AuditCaller } from '../audit.ts';
import { writeAudit } from '../audit.ts';
import { ToolError } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import type { IdentityTables } from '../../schema.ts';
import { IDENTITY_CHANGED } from '../identity-changed.ts';
import { orConflict } from '../users.ts';
import { beginAttempt } from './attempts.ts';
import { teamMemberships } from './memberships.ts';
import { checkPassword, hashPassword, keepPassword, passwordOf } from './passwords.ts';
import { endWebSessions } from './web-sessions.ts';

/** A person as they see themselves. */
export interface Account {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly hasPassword: boolean;
  readonly passkeys: number;
}

/** Who acts about themselves, and with which session. */
export interface Self {
  readonly userId: string;
  readonly sessionId: string;
  readonly caller: AuditCaller;
}

const MAX_NAME_LENGTH = 255;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

export async function accountOf(from: Queryable, userId: string): Promise<Account | undefined> {
  const db = from.db<IdentityTables>();
  const user = await db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user === undefined) return undefined;
  const passkeys = await db.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute();
  const hasPassword = (await passwordOf(from, userId)) !== undefined;
  return { userId, ...user, hasPassword, passkeys: passkeys.length };
}

/** Gives somebody another name or e-mail; an e-mail that somebody else has is a conflict. */
export async function changeAccount(
  store: Store,
  { userId, caller }: Self,
  change: { readonly name?: string | undefined; readonly email?: string | undefined },
  now: number,
): Promise<void> {
  const name = change.name?.trim();
  const email = change.email?.trim().toLowerCase();
  if (name !== undefined && (name === '' || name.length > MAX_NAME_LENGTH))
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME_LENGTH} characters`);
  if (email !== undefined && !EMAIL.test(email))
    throw new ToolError('invalid', 'email: must be an e-mail address');
  const fields = {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email, email_verified: 0 as const }),
  };
  if (Object.keys(fields).length === 0) return;
  // An e-mail is taken or free, and the answer tells which: nobody tries out many.
  if (email !== undefined)
    await beginAttempt(
      store,
      { account: `e-mail of ${userId}`, address: `e-mail of ${userId}`, what: 'changes of the e-mail' },
      now,
    );
  await store.transaction(async (tx) => {
    await tx
      .db<IdentityTables>()
      .updateTable('users')
      .set(fields)
      .where('id', '=', userId)
      .execute()
      .catch(
        orConflict(
          `The e-mail ${email} cannot be yours on this server. Use another, or ask whoever runs the server.`,
        ),
      );
    const changed = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
    await writeAudit(tx, { caller, action: 'account.updated', target: userId, changed }, { now });
    for (const { organizationId } of await teamMemberships(tx, userId))
      await tx.signal(IDENTITY_CHANGED, organizationId);
  });
}

/** Keeps a new password of somebody who has shown who they are, and ends every other session of theirs. */
export async function setPassword(
  store: Store,
  { userId, sessionId, caller }: Self,
  password: string,
  now: number,
): Promise<boolean> {
  const account = await accountOf(store, userId);
  if (account === undefined) return false;
  if (account.email === null)
    throw new ToolError('invalid', 'email: give yourself one first; a password goes with it');
  await checkPassword(password, [account.name, account.email]);
  const hash = await hashPassword(password);
  await store.transaction(async (tx) => {
    await keepPassword(tx, userId, { hash, now });
    await endWebSessions(tx, userId, { except: sessionId });
    await writeAudit(tx, { caller, action: 'password.set', target: userId }, { now });
  });
  return true;
}
