/** Revoking keys: by those who may, and never the last key with which somebody could make another. */
import type { Caller, Grants } from '@parley/kit';
import { firstUncovered, ALL_GRANTS, mayAdminister, ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import { withoutSecret } from '../key-format.ts';
import type { ApiKeyRow, IdentityTables } from '../schema.ts';
import type { AuditMoment } from './audit.ts';
import { writeAudit } from './audit.ts';
import type { Worth } from './ceiling.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import { requireKeyWithin } from './key-ceiling.ts';
import type { KeyInfo } from './keys.ts';
import { infoOf } from './keys.ts';
import { lockOrganization } from './members.ts';
import { requireRankOver } from './role-ceiling.ts';
import { narrowedRoles, rolesHeld } from './standing.ts';

/** Revokes a key by id or public id, for others than administrators only their own; every process refuses it from then on. */
export async function revokeKey(
  store: Store,
  caller: Caller,
  idOrPublicId: string,
  rules: Worth & AuditMoment,
): Promise<KeyInfo> {
  const { organizationId } = caller;
  const { now } = rules;
  return store.transaction(async (tx) => {
    // Two who revoke at once must not each find the key of the other still there.
    await lockOrganization(tx, organizationId);
    const db = tx.db<IdentityTables>();
    const row = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where((where) => where.or([where('id', '=', idOrPublicId), where('public_id', '=', idOrPublicId)]))
      .executeTakeFirst();
    const isTheirs = row !== undefined && (mayAdminister(caller) || row.user_id === caller.userId);
    if (!isTheirs) throw noSuchKey(idOrPublicId);
    requireRankOver(caller, await rolesOf(tx, row));
    if (row.revoked_at !== null) return infoOf(row);
    // Whoever is in charge of keys ends any of them, whatever else their own may do.
    if (!mayAdminister(caller)) await requireKeyWithin(tx, caller, row, rules);
    await refuseLastFullKey(tx, row, now);
    await db.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', row.id).execute();
    await writeAudit(
      tx,
      { caller, action: 'key.revoked', target: row.id, changed: { name: row.name } },
      rules,
    );
    await tx.signal(IDENTITY_CHANGED, organizationId);
    return infoOf({ ...row, revoked_at: now });
  });
}

/** What a key counts as: its owner's roles, or the rank that it is narrowed to. */
export async function rolesOf(tx: StoreTransaction, row: ApiKeyRow): Promise<readonly string[]> {
  const { roles = [] } = (await rolesHeld(tx, row.organization_id, row.user_id)) ?? {};
  return row.role === null ? roles : narrowedRoles(roles, row.role);
}

/** Throws when no owner would hold a key with everything any more. */
export async function refuseLastFullKey(tx: StoreTransaction, row: ApiKeyRow, now: number): Promise<void> {
  const full = await fullKeys(tx, row.organization_id, now);
  if (!full.includes(row.id) || full.length > 1) return;
  throw new ToolError(
    'conflict',
    'This is the last key with which an owner may do everything. Create another such key first.',
  );
}

async function fullKeys(tx: StoreTransaction, organizationId: string, now: number): Promise<string[]> {
  const rows = await tx
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .innerJoin('members', (join) =>
      join
        .onRef('members.user_id', '=', 'api_keys.user_id')
        .onRef('members.organization_id', '=', 'api_keys.organization_id'),
    )
    .innerJoin('member_roles', 'member_roles.member_id', 'members.id')
    .select(['api_keys.id', 'api_keys.grants'])
    .where('api_keys.organization_id', '=', organizationId)
    .where('member_roles.role', '=', 'owner')
    .where('api_keys.role', 'is', null)
    .where('api_keys.revoked_at', 'is', null)
    .where((where) =>
      where.or([where('api_keys.expires_at', 'is', null), where('api_keys.expires_at', '>', now)]),
    )
    .execute();
  const isFull = (grants: string) => firstUncovered(fromJson<Grants>(grants), ALL_GRANTS) === undefined;
  return rows.filter(({ grants }) => isFull(grants)).map(({ id }) => id);
}

/** What an unknown key answers, and one of somebody else. */
export function noSuchKey(given: string): ToolError {
  return new ToolError('not_found', `No such key: ${withoutSecret(given)}. "parley keys list" shows them.`);
}
