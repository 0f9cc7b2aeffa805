/** What agents remember: kept under keys of their own, signed, searched, capped. */
import type { AuditLog } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import type { Chain } from '../chain/chain.ts';
import { forgottenPayload, isForgotten, momentOf } from '../chain/entry.ts';
import type { MemoryRow, MemoryTables, StoredMemory } from './schema.ts';
import { STORED } from './schema.ts';
import { payloadOf, signedOf, subjectOf, textsOf } from './rows.ts';
import { indexWords, newest, search, unindexWords } from './search.ts';

/** Whose memories they are. */
export interface MemoryOwner {
  readonly organizationId: string;
  readonly agentId: string;
}

export interface NewMemory {
  readonly key: string;
  readonly content: string;
  /** How long it is found by search; absent: for good. */
  readonly expiresInDays?: number | undefined;
}

/** A memory after it was saved or forgotten. */
export interface SavedMemory {
  readonly key: string;
  readonly created: boolean;
  readonly hash: string;
  readonly seq: number;
  readonly updated_at: string;
}

export interface Memory {
  readonly key: string;
  readonly content: string;
  readonly saved_at: string;
  readonly hash: string;
  readonly signature: 'valid' | 'invalid';
  readonly archived: boolean;
}

/** By key, by words, or with neither the newest. */
export interface MemoryRecall {
  readonly key?: string | undefined;
  readonly query?: string | undefined;
  readonly limit: number;
}

export interface Memories {
  /** A person who does it stands in the audit log, here and below. */
  save(owner: MemoryOwner, memory: NewMemory, by?: Caller): Promise<SavedMemory>;
  /** Removes a memory, leaves what was signed for it and signs that; twice is as once. */
  forget(owner: MemoryOwner, key: string, by?: Caller): Promise<SavedMemory>;
  recall(owner: MemoryOwner, recall: MemoryRecall): Promise<{ memories: Memory[]; total: number }>;
  /** Archives what has expired, and returns how many that were. */
  maintain(owner: MemoryOwner): Promise<number>;
}

const MAX_CONTENT_BYTES = 65_536;
const MAX_MEMORIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
const DAY_MS = 86_400_000;

export interface MemoriesParts {
  readonly store: Store;
  readonly chain: Chain;
  readonly audit: AuditLog;
  readonly now: () => number;
}

export function createMemories({ store, chain, audit, now }: MemoriesParts): Memories {
  const told = async (
    tx: StoreTransaction,
    caller: Caller | undefined,
    { action, agentId, key }: { action: string; agentId: string; key: string },
  ) => {
    if (caller !== undefined) await audit.write(tx, { caller, action, target: agentId, changed: { key } });
  };
  return {
    async save(owner, { key, content, expiresInDays }, by) {
      const bytes = Buffer.byteLength(content);
      if (bytes > MAX_CONTENT_BYTES) throw tooLong(bytes);
      return store.transaction(async (tx) => {
        await chain.hold(tx, owner.agentId);
        const old = await rowOf(tx, owner.agentId, key);
        const isKept = old !== undefined && expiresInDays === undefined && isSame(old, content);
        // One that somebody changed in the database is signed anew.
        if (isKept && (await signed(tx, [old], owner.agentId))[0]?.isValid === true) return saved(old, false);
        await checkRoom(tx, owner.agentId, { bytes, old });
        const at = now();
        const expiresAt = expiresInDays === undefined ? null : at + expiresInDays * DAY_MS;
        const fresh = { key, content, updated_at: at, expires_at: expiresAt };
        const { hash: own, seq } = await chain.append(tx, {
          ...owner,
          kind: 'memory',
          subjectId: subjectOf(owner.agentId, key),
          payload: payloadOf(fresh),
        });
        const row = { ...fresh, ...textsOf(key, content), hash: own, seq, archived: 0, bytes };
        const id = await write(tx, owner, { row, old, at });
        await indexWords(tx, { id, agentId: owner.agentId, folded: row.folded });
        await told(tx, by, { action: 'memory.saved', agentId: owner.agentId, key });
        return saved({ key, hash: own, seq, updated_at: at }, old === undefined);
      });
    },
    forget: (owner, key, by) =>
      store.transaction(async (tx) => {
        const { agentId } = owner;
        await chain.hold(tx, agentId);
        const subjectId = subjectOf(agentId, key);
        const old = await rowOf(tx, agentId, key);
        const at = now();
        const last = await chain.lastOf(tx, agentId, subjectId);
        if (old === undefined && last === undefined)
          throw new ToolError(
            'not_found',
            `key: there is no memory "${key}". corvid_recall_memory lists them.`,
          );
        // Signed as well, or a row that is put back would be as good as before, and one that is taken away as well.
        const entry =
          old === undefined && last !== undefined && isForgotten(last)
            ? last
            : await chain.append(tx, {
                ...owner,
                kind: 'memory',
                subjectId,
                payload: forgottenPayload(subjectId, at),
                at,
              });
        await tx
          .db<MemoryTables>()
          .deleteFrom('agent_memories')
          .where('agent_id', '=', agentId)
          .where('key', '=', key)
          .execute();
        await told(tx, by, { action: 'memory.forgotten', agentId, key });
        return saved({ key, hash: entry.hash, seq: entry.seq, updated_at: at }, false);
      }),
    async recall({ agentId }, { key, query, limit }) {
      if (key !== undefined) {
        const row = await rowOf(store, agentId, key);
        const rows = row === undefined ? [] : [row];
        return { memories: await shown(rows, agentId), total: rows.length };
      }
      const asked = { agentId, now: now(), limit };
      const { ids, total } = await (query === undefined ? newest(store, asked) : search(store, query, asked));
      return { memories: await shown(await rowsOf(store, ids), agentId), total };
    },
    maintain: ({ agentId }) =>
      store.transaction(async (tx) => {
        await chain.hold(tx, agentId);
        const expired = await tx
          .db<MemoryTables>()
          .updateTable('agent_memories')
          .set({ archived: 1 })
          .where('agent_id', '=', agentId)
          .where('archived', '=', 0)
          .where('expires_at', '<=', now())
          .returning('id')
          .execute();
        for (const { id } of expired) await unindexWords(tx, id);
        return expired.length;
      }),
  };

  async function shown(rows: readonly StoredMemory[], agentId: string): Promise<Memory[]> {
    const first = await signed(store, rows, agentId);
    // A memory that is saved meanwhile looks as if it had been put back; one state of both tells.
    const checked = first.every(({ isValid }) => isValid)
      ? first
      : await store.snapshot(async (from) =>
          signed(
            from,
            await rowsOf(
              from,
              rows.map(({ id }) => id),
            ),
            agentId,
          ),
        );
    return checked.map(({ row, isValid }) => ({
      key: row.key,
      content: row.content,
      saved_at: momentOf(row.updated_at),
      hash: row.hash,
      signature: isValid ? 'valid' : 'invalid',
      archived: row.archived === 1 || (row.expires_at !== null && row.expires_at <= now()),
    }));
  }

  async function signed(from: Queryable, rows: readonly StoredMemory[], agentId: string) {
    const valid = await chain.areSigned(from, agentId, rows.map(signedOf));
    return rows.map((row, at) => ({ row, isValid: valid[at] === true }));
  }
}

function isSame(old: StoredMemory, content: string): boolean {
  return old.content === content && old.archived === 0 && old.expires_at === null;
}

async function checkRoom(
  tx: StoreTransaction,
  agentId: string,
  { bytes, old }: { bytes: number; old: StoredMemory | undefined },
): Promise<void> {
  const { rows, held } = await tx
    .db<MemoryTables>()
    .selectFrom('agent_memories')
    .select(({ fn }) => [fn.countAll().as('rows'), fn.sum('bytes').as('held')])
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  if (old === undefined && Number(rows) >= MAX_MEMORIES)
    throw full(`An agent keeps at most ${MAX_MEMORIES} memories.`);
  if (Number(held ?? 0) - (old?.bytes ?? 0) + bytes > MAX_BYTES)
    throw full(`The memories of an agent hold at most ${MAX_BYTES} bytes.`);
}

function full(what: string): ToolError {
  return new ToolError('quota_exceeded', `${what} Forget some with forget: true, then save again.`);
}

function tooLong(bytes: number): ToolError {
  return new ToolError(
    'quota_exceeded',
    `content: has ${bytes} bytes; a memory holds at most ${MAX_CONTENT_BYTES}. Save it in parts, each under a key of its own.`,
  );
}

type Written = Omit<MemoryRow, 'id' | 'organization_id' | 'agent_id' | 'created_at'>;

async function write(
  tx: StoreTransaction,
  { organizationId, agentId }: MemoryOwner,
  { row, old, at }: { row: Written; old: StoredMemory | undefined; at: number },
): Promise<number> {
  const db = tx.db<MemoryTables>();
  if (old !== undefined) {
    await db.updateTable('agent_memories').set(row).where('id', '=', old.id).execute();
    return old.id;
  }
  const { id } = await db
    .insertInto('agent_memories')
    .values({ ...row, organization_id: organizationId, agent_id: agentId, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

function rowOf(from: Queryable, agentId: string, key: string): Promise<StoredMemory | undefined> {
  return from
    .db<MemoryTables>()
    .selectFrom('agent_memories')
    .select(STORED)
    .where('agent_id', '=', agentId)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** The rows in the order of their ids here. */
async function rowsOf(from: Queryable, ids: readonly number[]): Promise<StoredMemory[]> {
  if (ids.length === 0) return [];
  const rows = await from
    .db<MemoryTables>()
    .selectFrom('agent_memories')
    .select(STORED)
    .where('id', 'in', ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

function saved(row: Pick<MemoryRow, 'key' | 'hash' | 'seq' | 'updated_at'>, created: boolean): SavedMemory {
  const { key, hash: own, seq, updated_at } = row;
  return { key, created, hash: own, seq, updated_at: momentOf(updated_at) };
}
