/** API keys: made, listed and revoked; never stronger than whoever makes them. */
import type { Caller, Grants } from '@parley/kit';
import { mayAdminister, ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { hashSecret, newKey } from '../key-format.ts';
import type { ApiKeyRow, IdentityTables } from '../schema.ts';
import type { IsPrivileged } from './ceiling.ts';
import { requireCovered } from './ceiling.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';

/** A key as lists show it: everything but the secret. */
export interface KeyInfo {
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly userId: string;
  readonly grants: Grants;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** What a new key is made from. */
export interface NewKey {
  readonly name: string;
  readonly grants: Grants;
  readonly expiresAt: number | null;
}

const MAX_NAME_LENGTH = 64;

/** Makes a key for the caller's own user; the text is returned here and never again. */
export async function createKey(
  store: Store,
  maker: Caller,
  input: NewKey,
  { now, isPrivileged }: { now: number; isPrivileged: IsPrivileged },
): Promise<{ info: KeyInfo; text: string }> {
  if (maker.userId === null) throw new ToolError('forbidden', 'This caller has no user to make keys for.');
  const owner = { organizationId: maker.organizationId, userId: maker.userId };
  const name = input.name.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  if (input.expiresAt !== null && input.expiresAt <= now) {
    throw new ToolError('invalid', 'expiresAt: must lie in the future');
  }
  requireCovered(maker, input.grants, isPrivileged);
  return store.transaction((tx) => insertKey(tx, owner, { ...input, name }, now));
}

/** Writes the row of a new key; who may make it was decided before. */
export async function insertKey(
  tx: StoreTransaction,
  owner: { organizationId: string; userId: string },
  input: NewKey,
  now: number,
): Promise<{ info: KeyInfo; text: string }> {
  const key = newKey();
  const row: ApiKeyRow = {
    id: typeId('key', now),
    organization_id: owner.organizationId,
    user_id: owner.userId,
    public_id: key.publicId,
    name: input.name,
    hash: hashSecret(key.secret),
    grants: toJson(input.grants),
    expires_at: input.expiresAt,
    last_used_at: null,
    revoked_at: null,
    created_at: now,
  };
  await tx.db<IdentityTables>().insertInto('api_keys').values(row).execute();
  return { info: infoOf(row), text: key.text };
}

/** The keys of the caller's organization, newest first; administrators see all, others their own. */
export async function listKeys(store: Store, caller: Caller, all: boolean): Promise<KeyInfo[]> {
  let query = store
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', caller.organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  if (!all) query = query.where('user_id', '=', caller.userId ?? '');
  return (await query.execute()).map(infoOf);
}

/** Revokes a key by id or public id, for others than administrators only their own; every process refuses it from then on. */
export async function revokeKey(
  store: Store,
  caller: Caller,
  idOrPublicId: string,
  now: number,
): Promise<KeyInfo> {
  return store.transaction(async (tx) => {
    const db = tx.db<IdentityTables>();
    const row = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('organization_id', '=', caller.organizationId)
      .where((where) => where.or([where('id', '=', idOrPublicId), where('public_id', '=', idOrPublicId)]))
      .executeTakeFirst();
    const isTheirs = row !== undefined && (mayAdminister(caller) || row.user_id === caller.userId);
    if (!isTheirs) throw new ToolError('not_found', `No such key: ${idOrPublicId}`);
    const revokedAt = row.revoked_at ?? now;
    await db.updateTable('api_keys').set({ revoked_at: revokedAt }).where('id', '=', row.id).execute();
    await tx.signal(IDENTITY_CHANGED, caller.organizationId);
    return infoOf({ ...row, revoked_at: revokedAt });
  });
}

function infoOf(row: ApiKeyRow): KeyInfo {
  return {
    id: row.id,
    publicId: row.public_id,
    name: row.name,
    userId: row.user_id,
    grants: fromJson<Grants>(row.grants),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
