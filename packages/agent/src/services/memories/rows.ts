/** What is derived from a memory: what is signed of it, and how it is compared. */
import { hash } from 'node:crypto';
import { momentOf } from '../chain/entry.ts';
import type { Signed, SignedRows } from '../chain/verify.ts';
import type { MemoryRow, MemoryTables, StoredMemory } from './schema.ts';
import { STORED } from './schema.ts';
import { fold, wordsOf } from './words.ts';

/** The memories that a chain speaks of. */
export const signedMemories: SignedRows = async (from, agentId, { after, limit }) => {
  const rows = await from
    .db<MemoryTables>()
    .selectFrom('agent_memories')
    .select(STORED)
    .where('agent_id', '=', agentId)
    .$if(after > 0, (later) => later.where('seq', '>', after))
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(signedOf);
};

export function signedOf(row: StoredMemory): Signed {
  const subjectId = subjectOf(row.agent_id, row.key);
  return { seq: row.seq, kind: 'memory', subjectId, hash: row.hash, payload: payloadOf(row) };
}

export function payloadOf(row: Pick<MemoryRow, 'key' | 'content' | 'updated_at' | 'expires_at'>): unknown {
  return {
    key: row.key,
    content: row.content,
    savedAt: momentOf(row.updated_at),
    expiresAt: row.expires_at === null ? null : momentOf(row.expires_at),
  };
}

/** The same for every memory under a key, and says nothing of the key. */
export function subjectOf(agentId: string, key: string): string {
  return `mem_${hash('sha256', `${agentId}\n${key}`, 'hex').slice(0, 32)}`;
}

/** How a memory is found. */
export function textsOf(key: string, content: string) {
  const keyFolded = fold(key);
  const keyWords = wordsOf(keyFolded).map((word) => ` ${word}`);
  // Folding leaves no line ends, so that no part reaches from the key into the content.
  return { key_words: keyWords.join(''), folded: `${keyFolded}\n${fold(content)}` };
}
