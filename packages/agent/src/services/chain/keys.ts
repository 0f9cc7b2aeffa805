/** The keys that agents sign with: made with the agent, sealed at rest, changed by an entry that the old key signs. */
import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash } from 'node:crypto';
import type { Queryable, SecretBox, StoreTransaction } from '@parley/store';
import type { ChainTables, SigningKeyRow } from './schema.ts';

/** A public key, as anybody may see it. */
export interface PublicKey {
  readonly key_id: string;
  readonly public_key: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly retired_at: string | null;
}

/** Whose key it is. */
export interface KeyOwner {
  readonly organizationId: string;
  readonly agentId: string;
}

/** A new pair of an agent, not stored yet. */
export function newKey(
  { organizationId, agentId }: KeyOwner,
  { secrets, at }: { secrets: SecretBox; at: number },
): SigningKeyRow {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const keyId = keyIdOf(x);
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
  return {
    organization_id: organizationId,
    agent_id: agentId,
    key_id: keyId,
    public_key: x,
    private_key: secrets.seal(plain, { organizationId, rowId: keyId }),
    active: 1,
    retired_at: null,
    created_at: at,
    updated_at: at,
  };
}

/** Stores a pair; the agent signs with it from now on. */
export async function addKey(tx: StoreTransaction, row: SigningKeyRow): Promise<void> {
  await tx.db<ChainTables>().insertInto('agent_keys').values(row).execute();
}

/** Ends the use of the key of now. */
export async function retireKey(tx: StoreTransaction, agentId: string, at: number): Promise<void> {
  await tx
    .db<ChainTables>()
    .updateTable('agent_keys')
    .set({ active: 0, retired_at: at, updated_at: at })
    .where('agent_id', '=', agentId)
    .where('active', '=', 1)
    .execute();
}

/** The id that a public key must have. */
export function keyIdOf(publicKey: string): string {
  return hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 32);
}

/** What an entry about a key signs. */
export function keyPayload({ key_id: keyId, public_key: publicKey }: SigningKeyRow): unknown {
  return { keyId, publicKey };
}

/** The private key of a row. */
export function privateKeyOf(row: SigningKeyRow, secrets: SecretBox): KeyObject {
  const context = { organizationId: row.organization_id, rowId: row.key_id };
  const key = Buffer.from(secrets.open(row.private_key, context), 'base64url');
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** The public keys of an agent, oldest first. */
export function keyRows(from: Queryable, agentId: string): Promise<SigningKeyRow[]> {
  return from
    .db<ChainTables>()
    .selectFrom('agent_keys')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('created_at')
    .orderBy('key_id')
    .execute();
}

/** The public keys by their ids; one that was changed is none. */
export function publicKeys(rows: readonly SigningKeyRow[]): ReadonlyMap<string, KeyObject> {
  const found = new Map<string, KeyObject>();
  for (const { key_id: keyId, public_key: x } of rows) {
    if (keyIdOf(x) !== keyId) continue;
    const key = { kty: 'OKP', crv: 'Ed25519', x };
    found.set(keyId, createPublicKey({ key, format: 'jwk' }));
  }
  return found;
}

export function shownKey(row: SigningKeyRow): PublicKey {
  return {
    key_id: row.key_id,
    public_key: row.public_key,
    active: row.active === 1,
    created_at: new Date(row.created_at).toISOString(),
    retired_at: row.retired_at === null ? null : new Date(row.retired_at).toISOString(),
  };
}
