/** The table of memories, as queries see it. */
import type { Generated } from 'kysely';

/** What an agent keeps under a key. */
export interface MemoryRow {
  id: number;
  organization_id: string;
  agent_id: string;
  key: string;
  /** The words of the key, each after a blank. */
  key_words: string;
  /** Of the entry that was signed for it. */
  hash: string;
  seq: number;
  archived: number;
  expires_at: number | null;
  /** The size of the content. */
  bytes: number;
  content: string;
  /** Key and content as they are compared. */
  folded: string;
  created_at: number;
  updated_at: number;
}

export interface MemoryTables {
  agent_memories: Omit<MemoryRow, 'id'> & { id: Generated<number> };
}

/** What is read of a memory; the index is not for reading. */
export const STORED = [
  'id',
  'agent_id',
  'key',
  'hash',
  'seq',
  'archived',
  'expires_at',
  'bytes',
  'content',
  'updated_at',
] as const;

export type StoredMemory = Pick<MemoryRow, (typeof STORED)[number]>;
