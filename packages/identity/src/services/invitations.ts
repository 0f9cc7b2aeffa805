/** Invitations: a link that lets one person join once, with roles that the inviter could give then and can give now. */
import { randomBytes } from 'node:crypto';
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { hashSecret } from '../key-format.ts';
import type { IdentityTables, InvitationRow } from '../schema.ts';
import { writeAudit } from './audit.ts';
import type { Rules } from './ceiling.ts';
import type { Joined, Joining } from './joining.ts';
import { memberOf } from './member-list.ts';
import { makingKey } from './keys.ts';
import { lockOrganization } from './members.ts';
import { requireOver, requireRoles, requireRolesWithin } from './role-ceiling.ts';

/** An invitation that is open. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly expiresAt: number;
  readonly createdAt: number;
}

/** Who shall join, and as what. */
export interface NewInvitation {
  readonly email: string;
  /** `member` by default. */
  readonly roles?: readonly string[];
}

/** What somebody who opens the link is shown. */
export interface OpenedInvitation {
  readonly organizationName: string;
  readonly roles: readonly string[];
}

/** Invitations of all organizations. */
export interface Invitations {
  /** The token goes into a link and is shown nowhere else. */
  create(by: Caller, input: NewInvitation): Promise<{ invitation: Invitation; token: string }>;
  /** Those that can still be accepted, the newest first. */
  list(organizationId: string): Promise<Invitation[]>;
  /** Takes an open invitation back; false when there is none for this e-mail. */
  withdraw(by: Caller, email: string): Promise<boolean>;
  /** What the link is about; throws why it cannot be accepted. */
  open(token: string): Promise<OpenedInvitation>;
  accept(token: string, joining: Joining): Promise<Joined>;
}

const TOKEN_BYTES = 32;
const PREFIX = 'parley_invite_';
const TOKEN = /^parley_invite_[\w-]{43}$/;
const LIFE_MS = 7 * 24 * 3_600_000;
const MAX_OPEN = 1000;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** Invites an e-mail; an older invitation of the same one is replaced. */
export async function createInvitation(
  tx: StoreTransaction,
  by: Caller,
  input: NewInvitation,
  rules: Rules,
): Promise<{ invitation: Invitation; token: string }> {
  const { organizationId, userId } = by;
  const { now } = rules;
  requireLasting(by, 'invitations');
  const email = input.email.trim().toLowerCase();
  const roles = [...new Set(input.roles ?? ['member'])];
  if (!EMAIL.test(email)) throw new ToolError('invalid', 'email: must be an e-mail address');
  if (userId === null) throw new ToolError('forbidden', 'This caller has no user to invite in the name of.');
  await lockOrganization(tx, organizationId);
  await requireRoles(tx, organizationId, roles);
  await requireRolesWithin(tx, by, { roles, before: [] }, rules);
  const db = tx.db<IdentityTables>();
  const known = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  if (known !== undefined && (await memberOf(tx, organizationId, known.id)) !== undefined)
    throw new ToolError('conflict', `${email} is a member already.`);
  await deleteOpen(tx, organizationId, email);
  if ((await listInvitations(tx, organizationId, now)).length >= MAX_OPEN)
    throw new ToolError('conflict', `At most ${MAX_OPEN} invitations can be open. Withdraw one first.`);
  const makerEnds = (await makingKey(tx, by))?.expires_at ?? Infinity;
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
  const row: InvitationRow = {
    id: typeId('inv', now),
    organization_id: organizationId,
    email,
    roles: toJson(roles),
    token_hash: hashSecret(token),
    invited_by: userId,
    // No later than the key that makes it: what is short-lived lets nobody in afterwards.
    expires_at: Math.min(now + LIFE_MS, makerEnds),
    accepted_at: null,
    created_at: now,
  };
  await db.insertInto('invitations').values(row).execute();
  await writeAudit(
    tx,
    { caller: by, action: 'member.invited', target: row.id, changed: { email, roles } },
    { now },
  );
  return { invitation: invitationOf(row), token };
}

/** The open invitations of an organization. */
export async function listInvitations(
  from: Queryable,
  organizationId: string,
  now: number,
): Promise<Invitation[]> {
  const rows = await from
    .db<IdentityTables>()
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(invitationOf);
}

/** Takes an invitation back. */
export async function withdrawInvitation(
  tx: StoreTransaction,
  by: Caller,
  email: string,
  rules: Rules,
): Promise<boolean> {
  const { organizationId } = by;
  const { now } = rules;
  const address = email.trim().toLowerCase();
  await lockOrganization(tx, organizationId);
  const open = (await listInvitations(tx, organizationId, now)).find((one) => one.email === address);
  if (open === undefined) return false;
  await requireOver(tx, by, open.roles, rules);
  await deleteOpen(tx, organizationId, address);
  await writeAudit(tx, { caller: by, action: 'member.uninvited', target: address }, { now });
  return true;
}

/** What the link is about. */
export async function openInvitation(from: Queryable, token: string, now: number): Promise<OpenedInvitation> {
  const { organizationName, roles } = await invitationAt(from, token, now);
  return { organizationName, roles: fromJson<string[]>(roles) };
}

/** An invitation, with the name of what it is to. */
export type FoundInvitation = InvitationRow & { readonly organizationName: string };

/** The invitation of a token; throws why it cannot be accepted. */
export async function invitationAt(from: Queryable, token: string, now: number): Promise<FoundInvitation> {
  const row = await from
    .db<IdentityTables>()
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .selectAll('invitations')
    .select('organizations.name as organizationName')
    .where('token_hash', '=', TOKEN.test(token) ? hashSecret(token) : '')
    .executeTakeFirst();
  if (row === undefined)
    throw new ToolError('not_found', 'There is no such invitation. It may have been taken back or replaced.');
  if (row.accepted_at !== null) throw new ToolError('conflict', 'This invitation was used already.');
  if (row.expires_at <= now)
    throw new ToolError('conflict', 'This invitation has expired. Ask for a new one.');
  return row;
}

async function deleteOpen(tx: StoreTransaction, organizationId: string, email: string): Promise<void> {
  await tx
    .db<IdentityTables>()
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .execute();
}

function invitationOf(row: InvitationRow): Invitation {
  const { id, email, expires_at: expiresAt, created_at: createdAt } = row;
  return { id, email, roles: fromJson<string[]>(row.roles), expiresAt, createdAt };
}
