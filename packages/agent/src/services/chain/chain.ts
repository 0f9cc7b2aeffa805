/** The chain of an agent: what it signed, each entry standing on the one before. */
import { sign } from 'node:crypto';
import type { AuditLog } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { agentRow } from '../../permissions/lookup.ts';
import type { Born } from '../agents.ts';
import { entryHash, hashOf, NO_HASH } from './entry.ts';
import { endOf, headOf, saveHead } from './head.ts';
import type { KeyOwner, PublicKey } from './keys.ts';
import { addKey, keyPayload, keyRows, newKey, privateKeyOf, retireKey, shownKey } from './keys.ts';
import type { ChainRow, ChainTables, EntryKind } from './schema.ts';
import type { ChainCheck, Signed, SignedRows } from './verify.ts';
import { areSigned, checkChain } from './verify.ts';

/** What is to be signed. */
export interface NewEntry extends KeyOwner {
  readonly kind: EntryKind;
  readonly subjectId: string;
  /** Anything that JSON can say; only its hash is kept. */
  readonly payload: unknown;
  /** The moment of the entry, where the payload has it; absent: now. */
  readonly at?: number;
}

export interface Chain {
  /** Gives a new agent its key pair. */
  readonly born: Born;
  /** Keeps others from adding to the chain of an agent until the transaction ends. */
  hold(tx: StoreTransaction, agentId: string): Promise<void>;
  /** Adds an entry to the end, signed with the key of now. */
  append(tx: StoreTransaction, entry: NewEntry): Promise<ChainRow>;
  /** The last entry about a subject. */
  lastOf(from: Queryable, agentId: string, subjectId: string): Promise<ChainRow | undefined>;
  /** For each row, whether it is as it was signed last. */
  areSigned(from: Queryable, agentId: string, rows: readonly Signed[]): Promise<readonly boolean[]>;
  /** Looks at every entry, and at everything that was signed and is still stored. */
  check(from: Queryable, agentId: string): Promise<ChainCheck>;
  keys(organizationId: string, agentId: string): Promise<PublicKey[]>;
  /** A new key pair; the old key signs the change, and nothing after it. */
  changeKey(by: Caller, agentId: string): Promise<PublicKey>;
}

export interface ChainParts {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly now: () => number;
  /** Where what was signed is stored. */
  readonly sources: readonly SignedRows[];
}

export function createChain({ store, audit, now, sources }: ChainParts): Chain {
  const { secrets } = store;
  const append = async (tx: StoreTransaction, entry: NewEntry) => {
    await hold(tx, entry.agentId);
    const head = await headOf(tx, entry.agentId, secrets);
    const last = endOf(head, await lastEntry(tx, entry.agentId));
    const key = (await keyRows(tx, entry.agentId)).find(({ active }) => active === 1);
    if (key === undefined) throw noAgent();
    const at = entry.at ?? now();
    const unsigned = {
      organization_id: entry.organizationId,
      agent_id: entry.agentId,
      seq: (last?.seq ?? 0) + 1,
      kind: entry.kind,
      subject_id: entry.subjectId,
      payload_hash: hashOf(entry.payload),
      prev_hash: last?.hash ?? NO_HASH,
      created_at: at,
      updated_at: at,
    };
    const own = entryHash(unsigned);
    const signature = sign(null, Buffer.from(own, 'hex'), privateKeyOf(key, secrets)).toString('base64url');
    const row: ChainRow = { ...unsigned, hash: own, key_id: key.key_id, signature };
    await tx.db<ChainTables>().insertInto('agent_chain').values(row).execute();
    await saveHead(tx, row, secrets);
    return row;
  };
  return {
    async born(tx, { organization_id: organizationId, id: agentId }) {
      await addKey(tx, newKey({ organizationId, agentId }, { secrets, at: now() }));
    },
    hold,
    append,
    lastOf: (from, agentId, subjectId) =>
      from
        .db<ChainTables>()
        .selectFrom('agent_chain')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('subject_id', '=', subjectId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst(),
    areSigned,
    check: (from, agentId) => checkChain(from, agentId, { sources, secrets }),
    keys: async (organizationId, agentId) =>
      (await keyRows(store, agentId))
        .filter(({ organization_id }) => organization_id === organizationId)
        .map(shownKey),
    changeKey: (by, agentId) =>
      store.transaction(async (tx) => {
        const { organizationId } = by;
        if ((await agentRow(tx, organizationId, agentId)) === undefined) throw noAgent();
        const owner = { organizationId, agentId };
        const at = now();
        const key = newKey(owner, { secrets, at });
        const { key_id: subjectId } = key;
        await append(tx, { ...owner, kind: 'key', subjectId, payload: keyPayload(key) });
        await retireKey(tx, agentId, at);
        await addKey(tx, key);
        const changed = { key_id: subjectId };
        await audit.write(tx, { caller: by, action: 'agent.key_changed', target: agentId, changed });
        return shownKey(key);
      }),
  };
}

function noAgent(): ToolError {
  return new ToolError('not_found', 'Agent not found');
}

const hold = (tx: StoreTransaction, agentId: string) => tx.exclusive(`agent-chain:${agentId}`);

function lastEntry(tx: StoreTransaction, agentId: string): Promise<ChainRow | undefined> {
  return tx
    .db<ChainTables>()
    .selectFrom('agent_chain')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
