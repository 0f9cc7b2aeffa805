/** Joining an organization: from an invitation and who accepts it to a member with a key. */
import type { Caller } from '@parley/kit';
import { ALL_GRANTS, ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { RoleGrants } from '../roles.ts';
import type { IdentityTables, InvitationRow } from '../schema.ts';
import { writeAudit } from './audit.ts';
import type { Rules } from './ceiling.ts';
import { isClaimed, lockUser } from './claimed.ts';
import { invitationAt } from './invitations.ts';
import { insertKey } from './keys.ts';
import { memberOf } from './member-list.ts';
import { enrol, lockOrganization } from './members.ts';
import { requireRoles, requireRolesWithin } from './role-ceiling.ts';
import { rolesHeld, standingOf } from './standing.ts';
import { ensureUser, renameUser } from './users.ts';

/** Who joins: the e-mail has to be the invited one, and somebody who is known here shows a whole key of theirs. */
export interface Joining {
  readonly email: string;
  readonly name: string;
  readonly key?: string | undefined;
}

/** What a person gets who joined. */
export interface Joined {
  readonly organizationName: string;
  readonly name: string;
  /** Shown once and never again. */
  readonly key: string;
}

/** Who a key stands for without any reserve: a narrow one proves that somebody gave it away, not who shows it. */
export type OwnerOfKey = (key: string) => Promise<string | undefined>;

const MAX_NAME_LENGTH = 255;

/** What joining stands on besides the store. */
export interface JoinRules {
  readonly rules: Rules;
  readonly builtIn: RoleGrants;
  readonly ownerOfKey: OwnerOfKey;
}

/** Makes the invited person a member, once, and gives them a key. */
export async function acceptInvitation(
  store: Store,
  token: string,
  joining: Joining,
  { rules, builtIn, ownerOfKey }: JoinRules,
): Promise<Joined> {
  const { now } = rules;
  const name = joining.name.trim();
  const email = joining.email.trim().toLowerCase();
  if (name === '' || name.length > MAX_NAME_LENGTH)
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME_LENGTH} characters`);
  const shown = joining.key === undefined ? undefined : await ownerOfKey(joining.key);
  return store.transaction(async (tx) => {
    const found = await invitationAt(tx, token, now);
    const { organization_id: organizationId, organizationName } = found;
    // Two who open the same link at once take turns here, and the second finds it used.
    await lockOrganization(tx, organizationId);
    const row = await invitationAt(tx, token, now);
    if (row.email !== email)
      throw new ToolError('forbidden', 'This invitation is for another e-mail address.');
    const roles = fromJson<string[]>(row.roles);
    await requireStillGivable(tx, row, { roles, rules, builtIn });
    const userId = await ensureUser(tx, { email, name }, now);
    await lockUser(tx, userId);
    await requireShown(tx, { userId, shown });
    // Whoever made this person up, for posts of another organization, does not say what they are called.
    if (shown !== userId) await renameUser(tx, userId, name);
    if ((await memberOf(tx, organizationId, userId)) !== undefined)
      throw new ToolError('conflict', 'You are a member of this organization already.');
    const memberId = await enrol(tx, { organizationId, userId, roles }, now);
    await tx
      .db<IdentityTables>()
      .updateTable('invitations')
      .set({ accepted_at: now })
      .where('id', '=', row.id)
      .execute();
    const input = { name: 'First key', grants: ALL_GRANTS, expiresAt: null };
    const { info, text: key } = await insertKey(tx, { organizationId, userId }, input, now);
    const caller = { id: info.id, organizationId, userId, source: 'web' } as const;
    const changed = { roles, invitation: row.id };
    await writeAudit(tx, { caller, action: 'member.joined', target: memberId, changed }, rules);
    return { organizationName, name, key };
  });
}

/** Throws unless whoever invited could give these roles today. */
async function requireStillGivable(
  tx: StoreTransaction,
  row: InvitationRow,
  { roles, rules, builtIn }: Omit<JoinRules, 'ownerOfKey'> & { readonly roles: readonly string[] },
): Promise<void> {
  const { organization_id: organizationId, invited_by: userId } = row;
  const held = await rolesHeld(tx, organizationId, userId);
  const stale = 'Whoever invited you can no longer give these roles. Ask for a new invitation.';
  if (held === undefined) throw new ToolError('forbidden', stale);
  const standing = standingOf(builtIn, held);
  const inviter: Caller = {
    id: userId,
    name: '',
    organizationId,
    userId,
    ...standing,
    source: 'web',
    unattended: false,
  };
  try {
    await requireRoles(tx, organizationId, roles);
    await requireRolesWithin(tx, inviter, { roles, before: [] }, rules);
  } catch (error) {
    throw error instanceof ToolError ? new ToolError('forbidden', stale) : error;
  }
}

/**
 * Throws when the e-mail is that of somebody who works here already and no whole key of theirs was shown. The key that
 * they get reaches all organizations of its user, so neither a link and an e-mail nor a narrow key may give one.
 */
async function requireShown(
  tx: StoreTransaction,
  { userId, shown }: { readonly userId: string; readonly shown: string | undefined },
): Promise<void> {
  if (shown === userId || !(await isClaimed(tx, userId))) return;
  const text =
    'This e-mail belongs to somebody who has an account on this server. Give a key of theirs too that may do everything they may, such as their first one; a key with fewer grants, a role or a connection is not enough.';
  throw new ToolError('forbidden', text, { needs: 'key' });
}
