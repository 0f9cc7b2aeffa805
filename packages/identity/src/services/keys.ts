/** API keys: made and listed; never stronger than their maker. */
import { sql } from 'kysely';
import type { Caller, Grants } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, isAmong, toJson } from '@parley/store';
import type { FreshKey, KeyFormat } from '../key-format.ts';
import { hashSecret, newHexKey, newKey } from '../key-format.ts';
import type { Rank } from '../roles.ts';
import { isAbove, rankOf, standingRole } from '../roles.ts';
import type { ApiKeyRow, IdentityTables } from '../schema.ts';
import type { AgentBinding } from './agent-keys.ts';
import { writeAudit } from './audit.ts';
import type { Rules } from './ceiling.ts';
import { requireCovered } from './ceiling.ts';
import { requireRoleWithin } from './role-ceiling.ts';
import { rolesHeld } from './standing.ts';

/** The rank that a key may be narrowed to. */
export type KeyRole = Rank;

/** What the maker of a key wants to remember with it. */
export type KeyMetadata = Readonly<Record<string, unknown>>;

/** A key as lists show it: everything but the secret. */
export interface KeyInfo {
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly userId: string;
  readonly grants: Grants;
  /** The rank that the key is narrowed to; null: as its owner. */
  readonly role: KeyRole | null;
  /** The connection that the key acts for. */
  readonly connectionId: string | null;
  /** The agent that the key acts as. */
  readonly agentId: string | null;
  readonly metadata: KeyMetadata | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewKey {
  readonly name: string;
  readonly grants: Grants;
  readonly expiresAt: number | null;
  /** Narrows the key to this rank, whatever its owner is; absent: as the owner, or as the key that makes it. */
  readonly role?: KeyRole | null;
  /** `parley` by default. */
  readonly format?: KeyFormat;
  /** Binds the key to a connection; absent: to that of the key that makes it, if any. */
  readonly connectionId?: string | null;
  /** Makes it the key of an agent; absent: of the agent of the key that makes it, if any. */
  readonly agent?: AgentBinding | null;
  readonly metadata?: KeyMetadata | null | undefined;
}

const MAX_NAME_LENGTH = 255;
const MAX_METADATA_LENGTH = 4096;

/** Makes a key for the caller's own user; the text is returned here and never again. */
export async function createKey(
  store: Store,
  maker: Caller,
  input: NewKey,
  rules: Rules,
): Promise<{ info: KeyInfo; text: string }> {
  const { now, isPrivileged, refuseUnknown } = rules;
  requireLasting(maker, 'keys');
  if (maker.userId === null) throw new ToolError('forbidden', 'This caller has no user to make keys for.');
  const owner = { organizationId: maker.organizationId, userId: maker.userId };
  const name = keyName(input.name);
  metadataText(input.metadata);
  if (input.expiresAt !== null && input.expiresAt <= now) {
    throw new ToolError('invalid', 'expiresAt: must lie in the future');
  }
  requireCovered(maker, input.grants, isPrivileged);
  await refuseUnknown(store, maker, input);
  return store.transaction(async (tx) => {
    const making = await makingKey(tx, maker);
    const role = await roleFor(tx, maker, owner.userId, { wanted: input.role ?? null, making });
    const expiresAt = endWithin(making?.expires_at ?? null, input.expiresAt);
    const connectionId = input.connectionId ?? making?.connection_id ?? null;
    const agent = input.agent ?? bindingOf(making?.agent ?? null);
    const made = await insertKey(tx, owner, { ...input, name, role, expiresAt, connectionId, agent }, now);
    const { agentId } = made.info;
    const changed = {
      name,
      grants: input.grants,
      role,
      expiresAt,
      connectionId,
      ...(agentId !== null && { agentId }),
    };
    await writeAudit(tx, { caller: maker, action: 'key.created', target: made.info.id, changed }, rules);
    return made;
  });
}

/** The name of a key, without blanks around it. */
export function keyName(given: string): string {
  const name = given.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH)
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME_LENGTH} characters`);
  return name;
}

/** The metadata as it is stored. */
export function metadataText(metadata: KeyMetadata | null | undefined): string | null {
  const text = metadata === undefined || metadata === null ? null : toJson(metadata);
  if (text !== null && text.length > MAX_METADATA_LENGTH)
    throw new ToolError('invalid', `metadata: must have at most ${MAX_METADATA_LENGTH} characters as JSON`);
  return text;
}

type MakingKey = Pick<ApiKeyRow, 'role' | 'expires_at' | 'connection_id' | 'agent'>;

/** The key that the maker acts with, where it is one. */
export function makingKey(
  tx: StoreTransaction,
  { id, organizationId }: Pick<Caller, 'id' | 'organizationId'>,
): Promise<MakingKey | undefined> {
  return tx
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .select(['role', 'expires_at', 'connection_id', 'agent'])
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}

/** The end of a new key: never after the key that makes it. */
function endWithin(makerEnds: number | null, wanted: number | null): number | null {
  if (makerEnds === null) return wanted;
  if (wanted !== null && wanted > makerEnds) {
    const end = new Date(makerEnds).toISOString();
    throw new ToolError('invalid', `expiresAt: the key that makes it expires at ${end}, so at most that`);
  }
  return wanted ?? makerEnds;
}

/** The rank of a new key: never above the maker or the owner, and never wider than the key that makes it. */
async function roleFor(
  tx: StoreTransaction,
  maker: Caller,
  userId: string,
  { wanted, making }: { wanted: KeyRole | null; making: MakingKey | undefined },
): Promise<KeyRole | null> {
  const { organizationId } = maker;
  const owner = (await rolesHeld(tx, organizationId, userId)) ?? { roles: [] };
  if (wanted !== null) {
    for (const giver of [maker, owner]) requireRoleWithin(giver, wanted);
    return wanted;
  }
  if (making !== undefined && making.role !== null) return making.role;
  const isNarrower = isAbove(standingRole(owner.roles), standingRole(maker.roles));
  return isNarrower ? rankOf(maker.roles) : null;
}

const MAX_TRIES = 5;

/** Writes the row of a new key; who may make it was decided before. */
export async function insertKey(
  tx: StoreTransaction,
  owner: { organizationId: string; userId: string },
  input: NewKey,
  now: number,
  make: () => FreshKey = input.format === 'qb' ? newHexKey : newKey,
): Promise<{ info: KeyInfo; text: string }> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const key = make();
    const row: ApiKeyRow = {
      id: typeId('key', now),
      organization_id: owner.organizationId,
      user_id: owner.userId,
      public_id: key.publicId,
      name: input.name,
      hash: hashSecret(key.secret),
      grants: toJson(input.grants),
      role: input.role ?? null,
      connection_id: input.connectionId ?? null,
      agent: input.agent === undefined || input.agent === null ? null : toJson(input.agent),
      metadata: metadataText(input.metadata),
      expires_at: input.expiresAt,
      last_used_at: null,
      revoked_at: null,
      created_at: now,
    };
    const { numInsertedOrUpdatedRows } = await tx
      .db<IdentityTables>()
      .insertInto('api_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('public_id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return { info: infoOf(row), text: key.text };
  }
  throw new ToolError('unavailable', 'No free id for the key was found. Try again.');
}

function bindingOf(text: string | null): AgentBinding | null {
  return text === null ? null : fromJson<AgentBinding>(text);
}

/** Which keys are wanted; absent means any. */
export interface KeyChoice {
  /** Those of everybody, or the caller's own. */
  readonly all: boolean;
  /** A part of the name of the key or of its owner, whatever its case. */
  readonly text?: string | undefined;
  /** This one alone. */
  readonly id?: string | undefined;
  /** These alone. */
  readonly ids?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

/** The keys of the caller's organization, newest first; administrators see all, others their own. */
export async function listKeys(
  store: Store,
  caller: Caller,
  { all, text, id, ids, limit }: KeyChoice,
): Promise<KeyInfo[]> {
  let query = store
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', caller.organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  if (!all) query = query.where('user_id', '=', caller.userId ?? '');
  if (limit !== undefined) query = query.limit(limit);
  if (id !== undefined) query = query.where('id', '=', id);
  if (ids !== undefined) query = query.where(isAmong(store.engine, sql.ref('id'), ids));
  if (text !== undefined) {
    const like = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (mark) => `\\${mark}`)}%`;
    query = query.where((key) =>
      key.or([
        sql<boolean>`lower(api_keys.name) like ${like} escape '\\'`,
        key('user_id', 'in', (people) =>
          people
            .selectFrom('users')
            .select('id')
            .where(sql<boolean>`lower(users.name) like ${like} escape '\\'`),
        ),
      ]),
    );
  }
  return (await query.execute()).map(infoOf);
}

/** The ids of the keys that are bound to a connection and were not revoked. */
export async function keysBoundTo(
  store: Store,
  organizationId: string,
  connectionId: string,
): Promise<string[]> {
  const rows = await store
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** The key without its secret. */
export function infoOf(row: ApiKeyRow): KeyInfo {
  return {
    id: row.id,
    publicId: row.public_id,
    name: row.name,
    userId: row.user_id,
    grants: fromJson<Grants>(row.grants),
    role: row.role,
    connectionId: row.connection_id,
    agentId: bindingOf(row.agent)?.agentId ?? null,
    metadata: row.metadata === null ? null : fromJson<KeyMetadata>(row.metadata),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
