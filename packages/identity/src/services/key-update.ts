/** Changing a key: its name, its grants and what is remembered with it; never beyond whoever changes it. */
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS, firstUncovered, requireLasting, ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ApiKeyRow, IdentityTables } from '../schema.ts';
import { writeAudit } from './audit.ts';
import type { Rules } from './ceiling.ts';
import { requireCovered } from './ceiling.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import { requireKeyWithin } from './key-ceiling.ts';
import type { KeyInfo, KeyMetadata } from './keys.ts';
import { infoOf, keyName, makingKey, metadataText } from './keys.ts';
import { lockOrganization } from './members.ts';
import { noSuchKey, refuseLastFullKey, rolesOf } from './revoking.ts';
import { requireRankOver } from './role-ceiling.ts';

/** What shall be different; absent stays as it is. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly grants?: Grants | undefined;
  readonly metadata?: KeyMetadata | null | undefined;
}

/** Changes a key of the caller's own user. */
export async function updateKey(
  tx: StoreTransaction,
  by: Caller,
  { keyId, ...change }: KeyChange & { readonly keyId: string },
  rules: Rules,
): Promise<KeyInfo> {
  const { organizationId } = by;
  requireLasting(by, 'keys');
  await lockOrganization(tx, organizationId);
  const row = await ownKey(tx, by, keyId);
  requireRankOver(by, await rolesOf(tx, row));
  await requireKeyWithin(tx, by, row, rules);
  const { name, grants, metadata } = change;
  if (grants !== undefined) await requireGivable(tx, by, { row, grants }, rules);
  const next = {
    ...(name !== undefined && { name: keyName(name) }),
    ...(grants !== undefined && { grants: toJson(grants) }),
    ...(metadata !== undefined && { metadata: metadataText(metadata) }),
  };
  const fields = (['name', 'grants', 'metadata'] as const).filter(
    (field) => next[field] !== undefined && next[field] !== row[field],
  );
  if (fields.length === 0) return infoOf(row);
  await tx.db<IdentityTables>().updateTable('api_keys').set(next).where('id', '=', row.id).execute();
  const told = { ...(name !== undefined && { name }), ...(grants !== undefined && { grants }) };
  const entry = { caller: by, action: 'key.updated', target: row.id };
  await writeAudit(tx, { ...entry, changed: { fields, ...told } }, rules);
  await tx.signal(IDENTITY_CHANGED, organizationId);
  return infoOf({ ...row, ...next });
}

async function requireGivable(
  tx: StoreTransaction,
  by: Caller,
  { row, grants }: { readonly row: ApiKeyRow; readonly grants: Grants },
  { now, isPrivileged, refuseUnknown }: Rules,
): Promise<void> {
  requireCovered(by, grants, isPrivileged);
  await refuseUnknown(tx, by, { grants });
  const before = fromJson<Grants>(row.grants);
  const making = await makingKey(tx, by);
  const outlives = (row.expires_at ?? Infinity) > (making?.expires_at ?? Infinity);
  const gained = firstUncovered(before, grants);
  if (outlives && gained !== undefined) {
    const text = `This key outlives the one that changes it, so it cannot gain ${gained.resource}:${gained.tool}`;
    throw new ToolError('forbidden', text, gained);
  }
  if (firstUncovered(grants, ALL_GRANTS) !== undefined) await refuseLastFullKey(tx, row, now);
}

/** A key of the caller that was not revoked; one of somebody else is not there. */
async function ownKey(tx: StoreTransaction, by: Caller, keyId: string): Promise<ApiKeyRow> {
  const row = await tx
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', by.organizationId)
    .where('user_id', '=', by.userId ?? '')
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw noSuchKey(keyId);
  return row;
}
