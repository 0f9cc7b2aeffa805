/** Sign-in sessions: who is there with a browser, until they leave, stay away or a week has passed. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import { hashSecret } from '../key-format.ts';
import type { RoleGrants } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import { writeAudit } from './audit.ts';
import { memberOf } from './member-list.ts';
import { callerOfMember } from './standing.ts';

/** What a browser gets at sign-in; the token goes into a cookie and is shown nowhere else. */
export interface OpenedSession {
  readonly token: string;
  readonly csrfToken: string;
  /** When it ends at the latest; 12 hours without use end it sooner. */
  readonly expiresAt: number;
}

/** Who a session stands for, with the rights of now. */
export interface FoundSession {
  readonly caller: Caller;
  readonly csrfToken: string;
  readonly memberId: string;
  readonly userId: string;
}

/** The sessions of everybody who is signed in. */
export interface Sessions {
  /** Signs a member in; somebody who is no member is `not_found`. */
  open(input: { organizationId: string; userId: string }): Promise<OpenedSession>;
  /** The session of a token; undefined when it is unknown, over, or its member is gone. */
  find(token: string): Promise<FoundSession | undefined>;
  /** Signs out; a token that is not there is none the worse. */
  close(token: string): Promise<void>;
}

const PREFIX = 'parley_session_';
const TOKEN_BYTES = 32;
const IDLE_MS = 12 * 3_600_000;
const LIFE_MS = 7 * 24 * 3_600_000;
const SEEN_EVERY_MS = 60_000;

export function createSessions(
  store: Store,
  options: { now: () => number; onError: (error: unknown) => void; builtIn: RoleGrants },
): Sessions {
  const { now } = options;
  return {
    open: (input) => open(store, input, now()),
    find: (token) => find(store, token, now(), options),
    close: (token) => remove(store, hashSecret(token)),
  };
}

async function open(
  store: Store,
  { organizationId, userId }: { organizationId: string; userId: string },
  now: number,
): Promise<OpenedSession> {
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  await store.transaction(async (tx) => {
    const db = tx.db<IdentityTables>();
    const member = await memberOf(tx, organizationId, userId);
    if (member === undefined) throw new ToolError('not_found', 'No such member.');
    // Nobody comes back to these; one that is too old as a whole is idle soon, because it is refused.
    await db
      .deleteFrom('sign_in_sessions')
      .where('seen_at', '<=', now - IDLE_MS)
      .execute();
    await db
      .insertInto('sign_in_sessions')
      .values({
        token_hash: hashSecret(token),
        organization_id: organizationId,
        member_id: member.id,
        seen_at: now,
        created_at: now,
      })
      .execute();
    // Visitors come by themselves, and in numbers; the log is about the team.
    const caller = { id: member.id, organizationId, userId, source: 'web' } as const;
    if (member.roles.some((role) => role !== 'user'))
      await writeAudit(tx, { caller, action: 'session.opened', target: member.id }, { now });
  });
  return { token, csrfToken: csrfTokenOf(token), expiresAt: now + LIFE_MS };
}

async function find(
  store: Store,
  token: string,
  now: number,
  { onError, builtIn }: { onError: (error: unknown) => void; builtIn: RoleGrants },
): Promise<FoundSession | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('sign_in_sessions')
    .selectAll()
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (now >= row.seen_at + IDLE_MS || now >= row.created_at + LIFE_MS) {
    await remove(store, row.token_hash);
    return undefined;
  }
  const { organization_id: organizationId, member_id: memberId } = row;
  const caller = await callerOfMember(store, builtIn, { organizationId, memberId, source: 'web' });
  if (caller === undefined) return undefined;
  // The mark is worth no refusal when it cannot be written.
  if (now - row.seen_at >= SEEN_EVERY_MS) await markSeen(store, row.token_hash, now).catch(onError);
  return { caller, csrfToken: csrfTokenOf(token), memberId, userId: caller.userId };
}

async function markSeen(store: Store, tokenHash: string, now: number): Promise<void> {
  await store
    .db<IdentityTables>()
    .updateTable('sign_in_sessions')
    .set({ seen_at: now })
    .where('token_hash', '=', tokenHash)
    .where('seen_at', '<', now)
    .execute();
}

async function remove(store: Store, tokenHash: string): Promise<void> {
  await store
    .db<IdentityTables>()
    .deleteFrom('sign_in_sessions')
    .where('token_hash', '=', tokenHash)
    .execute();
}

// Only the holder of the session's token can make it, so it is not stored.
function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}
