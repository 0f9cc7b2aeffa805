/** Sessions of the console: who of the team is signed in with which browser, until they leave, are sent away or stay away for 30 days. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Caller } from '@parley/kit';
import { isTeam, typeId } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { hashSecret } from '../../key-format.ts';
import type { RoleGrants } from '../../roles.ts';
import type { IdentityTables, WebSessionRow } from '../../schema.ts';
import { writeAudit } from '../audit.ts';
import { requireRankOver } from '../role-ceiling.ts';
import { callerOfMember, rolesHeld } from '../standing.ts';
import { teamMemberships } from './memberships.ts';
import { WEB_SESSIONS_CHANGED } from './web-sessions-changed.ts';

/** How somebody showed who they are. */
export type SignInMethod = 'link' | 'password' | 'passkey' | 'key';

/** Where somebody signs in from. */
export interface SignInPlace {
  /** What counts as one client. */
  readonly address: string;
  /** The browser and its system, for people. */
  readonly device: string;
}

/** What a browser gets at sign-in; the token goes into a cookie and is shown nowhere else. */
export interface OpenedWebSession {
  readonly id: string;
  readonly token: string;
}

/** Who a session stands for, with the rights of now. */
export interface WebSession {
  readonly id: string;
  readonly caller: Caller;
  readonly userId: string;
  readonly csrfToken: string;
  /** Until then, nobody is asked once more who they are. */
  readonly freshUntil: number;
}

/** A session as its owner sees it. */
export interface WebSessionInfo {
  readonly id: string;
  readonly method: string;
  readonly device: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

/** How long a session lives without use. */
export const SESSION_MS = 30 * 24 * 3_600_000;
const FRESH_MS = 15 * 60_000;
const SEEN_EVERY_MS = 60_000;
const PREFIX = 'parley_web_';
const TOKEN = /^parley_web_[\w-]{43}$/;
const TOKEN_BYTES = 32;
const MOST_SESSIONS = 50;

/** Signs a person of the team in, in an organization of theirs; undefined when they have none. */
export async function openWebSession(
  tx: StoreTransaction,
  { userId, organizationId }: { readonly userId: string; readonly organizationId?: string | undefined },
  { method, device, now }: { readonly method: SignInMethod; readonly device: string; readonly now: number },
): Promise<OpenedWebSession | undefined> {
  const all = await teamMemberships(tx, userId);
  const member = all.find((one) => one.organizationId === organizationId) ?? all[0];
  if (member === undefined) return undefined;
  const db = tx.db<IdentityTables>();
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  const id = typeId('ses', now);
  await db
    .deleteFrom('web_sessions')
    .where('seen_at', '<=', now - SESSION_MS)
    .execute();
  await removeOldest(tx, userId);
  await db
    .insertInto('web_sessions')
    .values({
      id,
      token_hash: hashSecret(token),
      user_id: userId,
      organization_id: member.organizationId,
      method,
      device,
      proven_at: now,
      seen_at: now,
      created_at: now,
    })
    .execute();
  const caller = { id: member.id, organizationId: member.organizationId, userId, source: 'web' } as const;
  const entry = { caller, action: 'session.opened', target: member.id, changed: { method, device } };
  await writeAudit(tx, entry, { now });
  await tx.signal(WEB_SESSIONS_CHANGED, userId);
  return { id, token };
}

/** Who has this many browsers has lost some of them. */
async function removeOldest(tx: StoreTransaction, userId: string): Promise<void> {
  const db = tx.db<IdentityTables>();
  const rest = await db
    .selectFrom('web_sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('seen_at', 'desc')
    .orderBy('id')
    .offset(MOST_SESSIONS - 1)
    .limit(MOST_SESSIONS)
    .execute();
  if (rest.length === 0) return;
  const ids = rest.map(({ id }) => id);
  await db.deleteFrom('web_sessions').where('id', 'in', ids).execute();
}

/** What finding stands on. */
export interface FindParts {
  readonly now: number;
  readonly builtIn: RoleGrants;
  readonly onError: (error: unknown) => void;
}

/** The session of a token; undefined when it is unknown, over, or its person is of no team any more. */
export async function findWebSession(
  store: Store,
  token: string,
  { now, builtIn, onError }: FindParts,
): Promise<WebSession | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const row = await store
    .db<IdentityTables>()
    .selectFrom('web_sessions')
    .selectAll()
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst();
  if (row === undefined || now >= row.seen_at + SESSION_MS) return undefined;
  const caller = await callerOf(store, row, builtIn);
  if (caller === undefined) return undefined;
  // The mark is worth no refusal when it cannot be written.
  if (now - row.seen_at >= SEEN_EVERY_MS) await markSeen(store, row.id, now).catch(onError);
  const freshUntil = row.proven_at + FRESH_MS;
  return {
    id: row.id,
    userId: row.user_id,
    caller: { ...caller, freshUntil },
    csrfToken: csrfTokenOf(token, caller.organizationId),
    freshUntil,
  };
}

/** The person in the organization of the session, or in another one once they have left that. */
async function callerOf(
  store: Queryable,
  row: WebSessionRow,
  builtIn: RoleGrants,
): Promise<Caller | undefined> {
  const all = await teamMemberships(store, row.user_id);
  const member = all.find(({ organizationId }) => organizationId === row.organization_id) ?? all[0];
  if (member === undefined) return undefined;
  const { id: memberId, organizationId } = member;
  const caller = await callerOfMember(store, builtIn, { organizationId, memberId, source: 'web' });
  return caller !== undefined && isTeam(caller) ? caller : undefined;
}

async function markSeen(store: Store, id: string, now: number): Promise<void> {
  await store
    .db<IdentityTables>()
    .updateTable('web_sessions')
    .set({ seen_at: now })
    .where('id', '=', id)
    .where('seen_at', '<', now)
    .execute();
}

/** The browsers that a person is signed in with, the one that was used last first. */
export async function listWebSessions(
  store: Queryable,
  userId: string,
  now: number,
): Promise<WebSessionInfo[]> {
  const rows = await store
    .db<IdentityTables>()
    .selectFrom('web_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('seen_at', '>', now - SESSION_MS)
    .orderBy('seen_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ id, method, device, created_at: createdAt, seen_at: seenAt }) => {
    return { id, method, device, createdAt, seenAt };
  });
}

/** A session as administrators see it. */
export interface TeamSessionInfo extends WebSessionInfo {
  readonly userId: string;
  readonly memberId: string;
  readonly name: string;
}

/** Enough to find somebody who is there; who was away for longer comes after them. */
const MOST_LISTED = 500;

/** The browsers in which anybody works in an organization, the one that was used last first. */
export async function listTeamSessions(
  store: Queryable,
  organizationId: string,
  now: number,
): Promise<TeamSessionInfo[]> {
  const rows = await teamSessions(store, organizationId)
    .where('web_sessions.seen_at', '>', now - SESSION_MS)
    .orderBy('web_sessions.seen_at', 'desc')
    .orderBy('web_sessions.id')
    .limit(MOST_LISTED)
    .execute();
  return rows.map(({ created_at: createdAt, seen_at: seenAt, user_id: userId, ...row }) => ({
    ...row,
    createdAt,
    seenAt,
    userId,
  }));
}

function teamSessions(store: Queryable, organizationId: string) {
  return store
    .db<IdentityTables>()
    .selectFrom('web_sessions')
    .innerJoin('users', 'users.id', 'web_sessions.user_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.user_id', '=', 'web_sessions.user_id')
        .onRef('members.organization_id', '=', 'web_sessions.organization_id'),
    )
    .select(['web_sessions.id', 'web_sessions.method', 'web_sessions.device', 'web_sessions.created_at'])
    .select(['web_sessions.seen_at', 'web_sessions.user_id', 'users.name', 'members.id as memberId'])
    .where('web_sessions.organization_id', '=', organizationId);
}

/** Ends a session of somebody in the caller's organization; false when there is none of this id. Nobody ends one of somebody above them. */
export async function endTeamSession(
  tx: StoreTransaction,
  caller: Caller,
  id: string,
  now: number,
): Promise<boolean> {
  const { organizationId } = caller;
  const found = await teamSessions(tx, organizationId).where('web_sessions.id', '=', id).executeTakeFirst();
  if (found === undefined) return false;
  const { roles = [] } = (await rolesHeld(tx, organizationId, found.user_id)) ?? {};
  requireRankOver(caller, roles);
  await endWebSessions(tx, found.user_id, { id });
  const changed = { device: found.device };
  await writeAudit(tx, { caller, action: 'session.ended', target: found.memberId, changed }, { now });
  return true;
}

/** Which sessions of a person shall end. */
export type WhichSessions = { readonly id: string } | { readonly except: string };

/** Ends some of them; false when there were none. */
export async function endWebSessions(
  tx: StoreTransaction,
  userId: string,
  which: WhichSessions,
): Promise<boolean> {
  const all = tx.db<IdentityTables>().deleteFrom('web_sessions').where('user_id', '=', userId);
  const some = 'id' in which ? all.where('id', '=', which.id) : all.where('id', '!=', which.except);
  const gone = await some.returning('id').execute();
  if (gone.length > 0) await tx.signal(WEB_SESSIONS_CHANGED, userId);
  return gone.length > 0;
}

/** Notes that somebody has just shown again who they are. */
export async function proveWebSession(store: Store, id: string, now: number): Promise<void> {
  await store
    .db<IdentityTables>()
    .updateTable('web_sessions')
    .set({ proven_at: now })
    .where('id', '=', id)
    .execute();
}

/** Moves a session to another organization of its person; false where they are not of the team. */
export async function moveWebSession(
  tx: StoreTransaction,
  { id, userId }: Pick<WebSession, 'id' | 'userId'>,
  organizationId: string,
): Promise<boolean> {
  const all = await teamMemberships(tx, userId);
  if (!all.some((one) => one.organizationId === organizationId)) return false;
  await tx
    .db<IdentityTables>()
    .updateTable('web_sessions')
    .set({ organization_id: organizationId })
    .where('id', '=', id)
    .execute();
  // Other tabs of the browser still show the organization before.
  await tx.signal(WEB_SESSIONS_CHANGED, userId);
  return true;
}

/**
 * Only the holder of the session's token can make it, so it is not stored. A tab that still shows another organization
 * has another one, so that nothing is written into this one by mistake.
 */
function csrfTokenOf(token: string, organizationId: string): string {
  return createHmac('sha256', token).update(`csrf ${organizationId}`).digest('base64url');
}
