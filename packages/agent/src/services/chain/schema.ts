/** The tables of keys and of what was signed with them, as queries see them. */

/** A key pair that an agent signs with, or signed with once. */
export interface SigningKeyRow {
  organization_id: string;
  agent_id: string;
  /** From the public key itself, so that neither can stand for another. */
  key_id: string;
  /** 32 bytes in base64url. */
  public_key: string;
  /** Sealed. */
  private_key: string;
  active: number;
  retired_at: number | null;
  created_at: number;
  updated_at: number;
}

/** What an entry is about. */
export type EntryKind = 'memory' | 'attestation' | 'key';

/** One entry of an agent's chain. */
export interface ChainRow {
  organization_id: string;
  agent_id: string;
  seq: number;
  kind: EntryKind;
  subject_id: string;
  payload_hash: string;
  prev_hash: string;
  hash: string;
  key_id: string;
  signature: string;
  created_at: number;
  updated_at: number;
}

/** Where an agent's chain ends. */
export interface ChainHeadRow {
  organization_id: string;
  agent_id: string;
  /** Number and hash of the last entry, sealed. */
  head: string;
  created_at: number;
  updated_at: number;
}

export interface ChainTables {
  agent_keys: SigningKeyRow;
  agent_chain: ChainRow;
  agent_chain_heads: ChainHeadRow;
}
